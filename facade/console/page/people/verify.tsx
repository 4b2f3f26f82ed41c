import { useState } from 'preact/hooks';
import type {
  Contact,
  ContactChannel,
  SendVerificationCodeResponse,
} from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Field } from '../../design/parts.tsx';
import { type Doing, useDoing } from '../forms/edit.tsx';
import { Time } from '../parts/time.tsx';
import { contacts } from '../rpc/rpc-people.ts';
import { words, wordsOf } from '../words.ts';

/** Verifies an address: a code goes there, and is typed here. */
export function Verify(props: { of: ContactChannel; person: Contact; onDone(): void; onCancel(): void }) {
  const say = wordsOf('people').verify;
  const sending = useDoing();
  const entering = useDoing();
  const [sent, keep] = useState<SendVerificationCodeResponse | null>(null);
  const [code, setCode] = useState('');
  const way = { contactId: props.person.id, channel: props.of.channel };

  async function send() {
    entering.forget();
    setCode('');
    await sending.run(async () => keep(await contacts.sendVerificationCode({ ...way, address: props.of.address })));
  }

  async function enter() {
    if ((await entering.run(() => contacts.verifyChannel({ ...way, code }))) === 'done') props.onDone();
  }

  const isOut = sent?.expiresAt !== undefined;
  return (
    <form
      class="panel"
      onSubmit={event => {
        event.preventDefault();
        void (isOut ? enter() : send());
      }}
    >
      <p dir="auto">{say.intro(props.of.address)}</p>
      <p class="soft small">{say.holds}</p>
      {sent !== null && <Sent of={sent} />}
      {isOut && (
        <Field
          label={say.code}
          name="code"
          autocomplete="one-time-code"
          numeric
          focus
          required
          value={code}
          wrong={saidOf(entering)}
          onInput={setCode}
        />
      )}
      {sending.refusal !== null && (
        <p class="notice bad" role="alert">
          {saidOf(sending)}
        </p>
      )}
      <div class="do">
        <button type="submit" class="button" disabled={sending.is === 'working' || entering.is === 'working'}>
          {isOut ? say.enter : say.send}
        </button>
        {isOut && (
          <button type="button" class="button quiet" onClick={() => void send()}>
            {say.sendAnother}
          </button>
        )}
        <button type="button" class="button quiet" onClick={props.onCancel}>
          {words().cancel}
        </button>
      </div>
    </form>
  );
}

/** What came of sending it: until when it is good, or why it did not go out. */
function Sent({ of }: { of: SendVerificationCodeResponse }) {
  const say = wordsOf('people');
  const problem = of.detail === 'plan_required' ? say.drill.planRequired : say.verify.outcomes[of.outcome];
  return (
    <div role="status">
      {problem !== undefined && <p class="notice">{problem}</p>}
      {of.expiresAt !== undefined && (
        <p>
          {say.verify.sent}
          <Time at={of.expiresAt} />.
        </p>
      )}
      {of.keptMessage !== '' && (
        <p class="soft small" dir="auto">
          {say.drill.would}: “{of.keptMessage}”
        </p>
      )}
    </div>
  );
}

function saidOf({ refusal }: Doing): string | null {
  if (refusal === null) return null;
  const [problem] = refusal.fields.values();
  return problem ?? refusal.message;
}
