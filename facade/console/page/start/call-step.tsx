import { useState } from 'preact/hooks';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import { Copying } from '../copy.tsx';
import { Refused, useDoing } from '../edit.tsx';
import { addressOf } from '../router.ts';
import { apiKeys } from '../rpc-keys.ts';
import { wordsOf } from '../words.ts';

/** A key for a device, shown once in the line that calls with it; then the first call is waited for. */
export function CallStep({ alarm }: { alarm: Alarm }) {
  const say = wordsOf('start').call;
  const doing = useDoing();
  const [secret, keep] = useState('');
  const make = () => doing.run(async () => keep((await apiKeys.createApiKey({ apiKey: { label: say.label } })).secret));
  const line = `curl -H "X-API-Key: ${secret}" ${addressOf(`v1/alarm/${alarm.id}/trigger`)}`;
  return (
    <>
      <Refused on={doing} />
      {secret !== '' && (
        <div class="stack">
          <p>{say.once}</p>
          <Copying text={line} of={say.line} />
        </div>
      )}
      <div class="do">
        <button
          type="button"
          class={secret === '' ? 'button' : 'button quiet'}
          disabled={doing.is === 'working'}
          onClick={() => void make()}
        >
          {secret === '' ? say.do : say.again}
        </button>
      </div>
      {secret !== '' && (
        <p class="waits" role="status">
          {say.waiting}
        </p>
      )}
    </>
  );
}
