import { useState } from 'preact/hooks';
import type { Carrier, SendTestMessageResponse } from '../../../../gen/tocsin/console/v1/carriers_pb.ts';
import { Choice, Field } from '../../design/parts.tsx';
import { Refused, useDoing } from '../forms/edit.tsx';
import { carriers } from '../rpc/rpc-settings.ts';
import { words, wordsOf } from '../words.ts';

/** Sends one message through a carrier to an address of the operator's. */
export function TestMessage({ of: { name, channels } }: { of: Carrier }) {
  const say = wordsOf('operator').carriers.test;
  const [to, setTo] = useState('');
  const [channel, choose] = useState(channels[0]!);
  const [came, told] = useState<(SendTestMessageResponse & { to: string }) | null>(null);
  const doing = useDoing();
  const send = () =>
    doing.run(async () => {
      told(null);
      told({ ...(await carriers.sendTestMessage({ name, channel, to })), to });
    });
  return (
    <form
      class="form"
      onSubmit={event => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="pair">
        {channels.length > 1 && (
          <Choice
            label={say.channel}
            name={`${name}.channel`}
            value={channel}
            options={channels.map(one => [one, words().incident.channels[one] ?? one])}
            onChoose={choose}
          />
        )}
        <Field
          label={say.to[channel] ?? say.to.push!}
          name={`${name}.to`}
          required
          value={to}
          onInput={setTo}
          wrong={doing.wrong('to')}
        />
      </div>
      <Refused on={doing} shown={['to']} />
      {came !== null && (
        <p class={came.outcome === 'sent' ? 'notice good' : 'notice bad'} role="status" dir="auto">
          {came.outcome === 'sent' ? say.sent(came.to) : say.failed(came.problem)}
        </p>
      )}
      <div class="choices">
        <button type="submit" class="button" disabled={doing.is === 'working'}>
          {say.send}
        </button>
      </div>
    </form>
  );
}
