import { useState } from 'preact/hooks';
import type { Duty } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { Confirm } from '../../design/parts.tsx';
import { Delete } from '../forms/delete.tsx';
import { Refused, useDoing } from '../forms/edit.tsx';
import { Copying, ShownOnce } from '../parts/copy.tsx';
import { may } from '../rpc/permissions.ts';
import { duties } from '../rpc/rpc-policies.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

/** The addresses of a feed, and what each is for. */
interface Links {
  ics: string;
  txt: string;
  json: string;
}

/** Makes, renews and ends the secret link at which others read who is on duty. It is shown once, and gone with the screen. */
export function Feed({ of }: { of: Duty }) {
  const say = wordsOf('duties').feed;
  const doing = useDoing();
  const [links, show] = useState<Links | null>(null);
  const [is, now] = useState<'idle' | 'asking'>('idle');
  const isOn = of.feed === 'on';

  async function make() {
    const result = await doing.run(async () => {
      const { secret, url } = await duties.rotateFeed({ dutyId: of.id });
      // Without an address of its own this deployment is where this page is.
      const base = url === '' ? addressOf(`duty/${secret}`) : url.slice(0, -'.ics'.length);
      show({ ics: `${base}.ics`, txt: `${base}.txt`, json: `${base}.json` });
    });
    if (result === 'done') now('idle');
  }

  if (links !== null) {
    return (
      <ShownOnce
        title={say.shown}
        text={say.shownText}
        secret={links.ics}
        of={say.ics}
        done={say.noted}
        onDone={() => show(null)}
      >
        {(['txt', 'json'] as const).map(format => (
          <div key={format} class="stack">
            <p class="soft small">{say[format]}</p>
            <Copying text={links[format]} of={say[format]} />
          </div>
        ))}
      </ShownOnce>
    );
  }
  return (
    <section class="stack" id="feed">
      <h2>{say.title}</h2>
      <div class="card form">
        <p>{say.text}</p>
        <p class="soft small">{isOn ? say.on : say.none}</p>
        {is === 'idle' && <Refused on={doing} />}
        {may('configure') && (
          <div class="choices">
            <button
              type="button"
              class="button quiet"
              disabled={doing.is === 'working'}
              onClick={() => (isOn ? now('asking') : void make())}
            >
              {isOn ? say.renew : say.make}
            </button>
            {isOn && (
              <Delete
                place="row"
                label={say.end}
                title={say.endTitle}
                text={say.endText}
                act={() => duties.revokeFeed({ dutyId: of.id })}
              />
            )}
          </div>
        )}
      </div>
      {is === 'asking' && (
        <Confirm
          title={say.renewTitle}
          text={say.endText}
          yes={say.renew}
          no={words().cancel}
          tone="live"
          wrong={doing.refusal?.message ?? null}
          working={doing.is === 'working'}
          onYes={() => void make()}
          onNo={() => {
            doing.forget();
            now('idle');
          }}
        />
      )}
    </section>
  );
}
