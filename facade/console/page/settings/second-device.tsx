import { useEffect, useState } from 'preact/hooks';
import type { CreatePhoneLinkResponse, Session } from '../../../../gen/tocsin/console/v1/sessions_pb.ts';
import { Refused, useDoing } from '../forms/edit.tsx';
import { pageAddress, useDeviceAddress } from '../parts/device-address.ts';
import { sessions } from '../rpc/rpc.ts';
import { wordsOf } from '../words.ts';

/** How long a code is shown, in milliseconds: a little less than it is good, so that none is scanned in vain. */
const SHOWN_MS = 115_000;

/** Shows a QR code that signs in a second device, until that has, or it is old. `own`: the sessions that there are. */
export function SecondDevice({ own }: { own: readonly Session[] }) {
  const say = wordsOf('phone');
  const { base } = useDeviceAddress();
  const [shown, show] = useState<{ link: CreatePhoneLinkResponse; before: readonly string[] } | null>(null);
  const [ended, end] = useState<'used' | 'old' | null>(null);
  const doing = useDoing();
  const isUsed = shown !== null && own.some(({ id }) => !shown.before.includes(id));
  useEffect(() => {
    if (shown === null) return undefined;
    const timer = setTimeout(() => stop('old'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  useEffect(() => {
    if (isUsed) stop('used');
  }, [isUsed]);

  function stop(why: 'used' | 'old' | null) {
    show(null);
    end(why);
  }

  const make = () =>
    void doing.run(async () => {
      const link = await sessions.createPhoneLink({ consoleUrl: base ?? pageAddress() });
      end(null);
      show({ link, before: own.map(({ id }) => id) });
    });
  return (
    <div class="stack" id="second-device">
      {shown !== null && (
        <div class="card secret" role="status">
          <p>{say.scan}</p>
          <svg class="qr" role="img" aria-label={say.qr} viewBox={`0 0 ${shown.link.qrSize} ${shown.link.qrSize}`}>
            <path d={shown.link.qrPath} />
          </svg>
          <p class="soft small">{say.good}</p>
        </div>
      )}
      <p class="soft" role="status">
        {ended !== null && say[ended]}
      </p>
      <div class="choices">
        <button
          type="button"
          class="button quiet"
          disabled={doing.is === 'working'}
          onClick={shown === null ? make : () => stop(null)}
        >
          {shown === null ? say.show : say.hide}
        </button>
      </div>
      <Refused on={doing} />
    </div>
  );
}
