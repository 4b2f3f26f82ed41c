import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Icon } from '../../design/icon.tsx';
import { Empty } from '../../design/parts.tsx';
import { TestSwitch } from '../alarms/head.tsx';
import { Rehearse } from '../alarms/rehearse.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { useAskAnswer } from '../people/ask-answer.tsx';
import { Verify } from '../people/verify.tsx';
import { may } from '../rpc/permissions.ts';
import { type Begun, doneOf, STEPS, type StepName, useBegun, wayToAsk } from '../start/begun.ts';
import { CallStep, type ShownOnceKey } from '../start/call-step.tsx';
import { AlarmStep, PersonStep, PlaceStep, PolicyStep } from '../start/forms.tsx';
import { InTheWayOf, useInTheWay } from '../start/in-the-way.tsx';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

/**
 * Leads from an empty account to an alarm that tells somebody, in ten minutes. Done steps are read from the account, so
 * that it can be left at any time.
 */
export function StartScreen() {
  if (!may('configure')) return <Empty icon="search" of="screen" title={words().nothingHere} />;
  return <Steps />;
}

const NO_KEY: ShownOnceKey = { is: 'none', secret: '' };

function Steps() {
  const say = wordsOf('start');
  const found = useBegun();
  const [later, setLater] = useState<ReadonlySet<StepName>>(new Set());
  const [shown, show] = useState(NO_KEY);
  if (found.data === null) return <Waiting on={found} />;
  const begun = found.data;
  const done = doneOf(begun);
  // The first call ends its step, but not before its key, which is shown this once, has been noted.
  const now = shown.is === 'shown' ? 'call' : STEPS.find(name => !done.has(name) && !later.has(name));

  function putOff(name: StepName) {
    if (name === 'call') show(NO_KEY);
    setLater(new Set([...later, name]));
  }

  return (
    <>
      <div>
        <h1>{say.title}</h1>
        <p class="soft">{say.lead}</p>
        <progress value={done.size} max={STEPS.length} aria-label={say.progress(done.size, STEPS.length)} />
      </div>
      <ol class="start">
        {STEPS.map(name => (
          <li
            key={name}
            class={done.has(name) ? 'done' : now === name ? 'now' : ''}
            aria-current={now === name ? 'step' : undefined}
          >
            <h2>
              <span class="mark">{done.has(name) ? <Icon name="check" /> : STEPS.indexOf(name) + 1}</span>
              {say[name].title}
            </h2>
            {done.has(name) && (
              <p class="soft" dir="auto">
                {outcomeOf(name, begun)}
              </p>
            )}
            {now === name && (
              <div class="card">
                <Current {...{ name, begun, shown }} onKey={show} onLater={() => putOff(name)} />
              </div>
            )}
          </li>
        ))}
      </ol>
      {now === undefined && done.has('live') && <Done alarm={begun.alarm!} person={begun.person?.name ?? ''} />}
    </>
  );
}

function Current(on: {
  name: StepName;
  begun: Begun;
  shown: ShownOnceKey;
  onKey(shown: ShownOnceKey): void;
  onLater(): void;
}) {
  const say = wordsOf('start');
  const { name, begun, onLater } = on;
  const { place, person, policy, alarm } = begun;
  const [way] = person?.channels ?? [];
  switch (name) {
    case 'place':
      return (
        <Step text={say.place.text}>
          <PlaceStep />
        </Step>
      );
    case 'person':
      return (
        <Step text={say.person.text}>
          <PersonStep />
        </Step>
      );
    case 'verify':
      return (
        <Step text={say.verify.text}>
          {way !== undefined && <Verify of={way} person={person!} onDone={() => {}} onCancel={onLater} />}
        </Step>
      );
    case 'policy':
      return (
        person && (
          <Step text={say.policy.text(person.name)}>
            <PolicyStep person={person} />
          </Step>
        )
      );
    case 'alarm':
      return (
        place &&
        policy && (
          <Step text={say.alarm.text}>
            <AlarmStep place={place} policy={policy} />
          </Step>
        )
      );
    case 'call':
      return (
        alarm && (
          <Step text={say.call.text} onLater={onLater}>
            <CallStep
              alarm={alarm}
              call={begun.call === undefined ? 'waiting' : 'arrived'}
              shown={on.shown}
              onKey={on.onKey}
            />
          </Step>
        )
      );
    case 'live':
      return (
        alarm && (
          <Step text={say.live.text} onLater={onLater}>
            <GoLive of={alarm} />
          </Step>
        )
      );
    case 'answer':
      return (
        person && (
          <Step text={say.answer.text(person.name)} onLater={onLater}>
            <Ask person={person} />
          </Step>
        )
      );
  }
}

function GoLive({ of }: { of: Alarm }) {
  return (
    <>
      <InTheWayOf found={useInTheWay(of)} />
      <div class="do">
        <Rehearse of={of} />
        <TestSwitch of={of} />
      </div>
    </>
  );
}

function Ask({ person }: { person: Contact }) {
  const ask = useAskAnswer({ of: wayToAsk(person)!, person });
  if (ask === null) return <p class="notice">{wordsOf('start').answer.cannot}</p>;
  return (
    <>
      <div class="do">{ask.button}</div>
      {ask.said}
    </>
  );
}

function Step({ text, children, onLater }: { text: string; children: ComponentChildren; onLater?(): void }) {
  return (
    <>
      <p>{text}</p>
      {children}
      {onLater !== undefined && (
        <button type="button" class="button bare" onClick={onLater}>
          {wordsOf('start').later}
        </button>
      )}
    </>
  );
}

/** Says what came of a step that is done. */
function outcomeOf(name: StepName, { place, person, policy, alarm, call }: Begun): string {
  if (name === 'place') return place?.name ?? '';
  if (name === 'person') return person?.name ?? '';
  if (name === 'verify') return person?.channels.find(({ verifiedAt }) => verifiedAt !== undefined)?.address ?? '';
  if (name === 'policy') return policy?.name ?? '';
  if (name === 'answer') return person?.name ?? '';
  if (name === 'call')
    return wordsOf('start').call.arrived(words().outcomes[call?.outcome ?? ''] ?? call?.outcome ?? '');
  return alarm?.name ?? '';
}

function Done({ alarm, person }: { alarm: Alarm; person: string }) {
  const say = wordsOf('start').done;
  const found = useInTheWay(alarm);
  if (found.data === null) return <Waiting on={found} />;
  const isClear = found.data.every(({ severity }) => severity !== 'blocks');
  return (
    <section class="card all-done" role="status">
      <Icon name={isClear ? 'check' : 'incidents'} />
      <h2>{isClear ? say.title : say.blocked}</h2>
      {isClear && <p dir="auto">{say.text(alarm.name, person)}</p>}
      {found.data.length > 0 && <InTheWayOf found={found} />}
      <div class="do">
        <a class="button" href={addressOf('./')} data-screen>
          {say.home}
        </a>
        <a class="button quiet" href={addressOf(`alarms/${alarm.id}`)} data-screen>
          {say.alarm}
        </a>
      </div>
    </section>
  );
}
