import { useState } from 'preact/hooks';
import type { Carrier } from '../../../../gen/tocsin/console/v1/carriers_pb.ts';
import { Chip, type Tone } from '../../design/parts.tsx';
import { Delete } from '../forms/delete.tsx';
import { isUnsaved } from '../forms/draft.ts';
import { useQuery } from '../live/use-query.ts';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { READ_OF_CARRIERS } from '../rpc/rpc.ts';
import { carriers } from '../rpc/rpc-settings.ts';
import { language, words, wordsOf } from '../words.ts';
import { CarrierForm, carrierDraft } from './carrier-form.tsx';
import { mailServerOf } from './mail-url.ts';
import { TestMessage } from './test-message.tsx';

/** Shows what carries messages, whether it works, and lets the operator set it up. */
export function CarriersPart() {
  const say = wordsOf('operator').carriers;
  const read = async () => (await carriers.listCarriers({}, READ_OF_CARRIERS)).carriers;
  const found = useQuery(`carriers ${language.value}`, read, '', 'slow');
  if (found.data === null) return <Waiting on={found} />;
  const all = found.data;
  const changed = (carrier: Carrier) => found.put(all.map(one => (one.name === carrier.name ? carrier : one)));
  return (
    <section class="stack">
      <h2>{say.title}</h2>
      <p class="soft">{say.text}</p>
      {all.map((carrier, nth) => (
        <CarrierCard
          key={carrier.name}
          of={carrier}
          firstFor={carrier.channels.filter(channel => !all.slice(0, nth).some(one => one.channels.includes(channel)))}
          onChange={changed}
          onStale={found.again}
        />
      ))}
    </section>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  works: 'good',
  not_asked: 'good',
  fails: 'warn',
  left_out: 'warn',
  stands_aside: 'off',
  not_set: 'off',
};

/** `firstFor`: the channels of which it is the first card, to which what is found leads. */
function CarrierCard(on: {
  of: Carrier;
  firstFor: readonly string[];
  onChange(carrier: Carrier): void;
  onStale(): void;
}) {
  const { of } = on;
  const { name, title, about, channels, state, problem, setIn, settings } = of;
  const say = wordsOf('operator').carriers;
  const [open, show] = useState<'nothing' | 'form' | 'test'>('nothing');
  const isEditing = open === 'form' || isUnsaved(carrierDraft(of));
  const carried = channels.map(channel => words().incident.channels[channel] ?? channel).join(', ');
  const isSet = setIn !== '';
  const does = isSet ? words().edit : say.setUp;
  const inEnvironment = settings.filter(one => one.inEnvironment).map(one => one.name);
  return (
    <section class="card carrier">
      <header class="row">
        <div>
          <h3>{title}</h3>
          <small>{carried}</small>
          {on.firstFor.map(channel => (
            <span key={channel} id={`carries-${channel}`} />
          ))}
        </div>
        <Chip tone={TONES[state] ?? 'off'}>{say.states[state] ?? state}</Chip>
      </header>
      {!isSet && <p class="soft">{about}</p>}
      {problem !== '' && (
        <p class="notice bad" dir="auto">
          {problem}
        </p>
      )}
      {state === 'stands_aside' && <p class="soft small">{say.aside}</p>}
      {setIn === 'environment' && <p class="soft small">{say.inEnvironment(inEnvironment.join(', '))}</p>}
      {isEditing ? (
        <CarrierForm
          of={of}
          onStale={on.onStale}
          onDone={carrier => {
            show('nothing');
            if (carrier !== null) on.onChange(carrier);
          }}
        />
      ) : (
        <>
          {isSet && <Values of={of} />}
          <div class="choices">
            {setIn !== 'environment' && settings.length > 0 && (
              <button
                type="button"
                class={isSet ? 'button quiet' : 'button'}
                aria-label={`${does}: ${title}`}
                onClick={() => show('form')}
              >
                {does}
              </button>
            )}
            {isSet && state !== 'left_out' && state !== 'not_set' && (
              <button
                type="button"
                class="button quiet"
                aria-label={`${say.test.do}: ${title}`}
                onClick={() => show(open === 'test' ? 'nothing' : 'test')}
              >
                {say.test.do}
              </button>
            )}
            {setIn === 'console' && (
              <Delete
                place="row"
                of={title}
                title={say.remove(title)}
                text={say.removeText}
                act={async () => {
                  const { carrier } = await carriers.removeCarrier({ name, version: of.version });
                  on.onChange(carrier!);
                }}
              />
            )}
          </div>
          {open === 'test' && <TestMessage of={of} />}
        </>
      )}
      <History of={of} />
    </section>
  );
}

function shownServer(url: string): string {
  const { host, port, user } = mailServerOf(url);
  return `${host}:${port}${user && `, ${user}`}`;
}

/** Lists what is set; secrets are not shown. */
function Values({ of: { settings } }: { of: Carrier }) {
  const say = wordsOf('operator').carriers;
  return (
    <dl class="facts">
      {settings
        .filter(({ isSet }) => isSet)
        .map(({ name, label, value, holds }) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd>{value === '' ? say.kept : <bdi>{holds === 'text' ? value : shownServer(value)}</bdi>}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Says who changed the stored settings, and when. Names only, no values. */
function History({ of: { changes } }: { of: Carrier }) {
  const say = wordsOf('operator').carriers;
  const [last] = changes;
  if (last === undefined) return null;
  return (
    <details class="soft small">
      <summary>
        {say.lastChange} <Time at={last.at} />
      </summary>
      <ul>
        {changes.map(({ version, at, by, names }) => (
          <li key={version}>
            <Time at={at} /> · <bdi>{by}</bdi>: {names.length === 0 ? say.removed : names.join(', ')}
          </li>
        ))}
      </ul>
    </details>
  );
}
