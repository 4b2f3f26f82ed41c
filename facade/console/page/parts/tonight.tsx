import type {
  GetTonightResponse,
  TonightLine,
  TonightPerson,
  TonightPlace,
} from '../../../../gen/tocsin/console/v1/tonight_pb.ts';
import { Chip, type Tone } from '../../design/parts.tsx';
import { addressOf } from '../way/router.ts';
import { words } from '../words.ts';
import { Install } from './install.tsx';
import { spanOf } from './span.ts';
import { Time } from './time.tsx';

/** How many locations are shown before the rest is told by its number. */
const SHOWN = 6;

/** Shows who would be told tonight, place by place, when each was proven, and which sender is silent. */
export function Tonight({ of }: { of: GetTonightResponse }) {
  const say = words().tonight;
  // What is in test tells nobody tonight: it is shown where nothing else is.
  const shown = of.places.map(place => ({ ...place, lines: place.lines.filter(isLive) }));
  const live = shown.filter(({ lines }) => lines.length > 0);
  const places = (live.length === 0 ? of.places : live).slice(0, SHOWN);
  const more = (live.length === 0 ? of.places : live).length + of.placesInAll - of.places.length - places.length;
  return (
    <section class="stack" aria-label={say.title}>
      <h2>{say.title}</h2>
      <div class="card rows">
        {places.map(place => (
          <Place key={place.locationId} of={place} />
        ))}
        {more > 0 && <p class="row soft small">{say.morePlaces(more)}</p>}
      </div>
      {of.silent.length > 0 && (
        <>
          <h3>{say.silent}</h3>
          <ul class="card rows">
            {of.silent.map(({ keyId, label, since }) => (
              <li key={keyId} class="row">
                <a class="to" dir="auto" href={addressOf(`keys/${keyId}`)} data-screen>
                  {label}
                </a>
                <Chip tone="warn">
                  {say.silentSince}
                  <Time at={since} />
                </Chip>
              </li>
            ))}
          </ul>
        </>
      )}
      <Install />
    </section>
  );
}

function isLive({ environment }: TonightLine): boolean {
  return environment === 'live';
}

function Place({ of: { name, lines } }: { of: Pick<TonightPlace, 'name' | 'lines'> }) {
  return (
    <div>
      <h3 class="place" dir="auto">
        {name}
      </h3>
      {lines.map(line => (
        <Line key={`${line.mode} ${line.standing} ${line.environment} ${line.sources.join()}`} of={line} />
      ))}
    </div>
  );
}

/** Shows who would be told by what does the same, in which order, and when each was proven. */
export function Line({ of }: { of: TonightLine }) {
  const say = words().tonight;
  const more = of.sourcesInAll - of.sources.length;
  const facts = [
    ...(of.mode === '' ? [] : [words().modes[of.mode] ?? of.mode]),
    say.standing[of.standing] ?? of.standing,
    ...(of.environment === 'test' ? [say.test] : []),
    ...(of.windowS === 0 ? [] : [say.window(spanOf(of.windowS))]),
  ];
  return (
    <>
      <p class="row what soft small" dir="auto">
        {of.sources.join(', ')}
        {more > 0 && say.more(more)} · {facts.join(' · ')}
      </p>
      {of.people.length === 0 ? (
        <p class="row">
          <Chip tone="warn">{say.nobody}</Chip>
        </p>
      ) : (
        <ol class="rows">
          {of.people.map(person => (
            <Person key={person.contactId} of={person} />
          ))}
        </ol>
      )}
    </>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  fresh: 'good',
  ages: 'off',
  stale: 'warn',
  never: 'warn',
  cannot: 'off',
};

function Person({ of: { contactId, name, afterS, channels, proof, duty, dutyUntil } }: { of: TonightPerson }) {
  const say = words().tonight;
  const named = channels.map(({ channel }) => words().incident.channels[channel] ?? channel).join(', ');
  const proofs = channels.flatMap(({ provenAt }) => provenAt ?? []);
  const newest = proofs.toSorted((one, other) => Number(other.seconds - one.seconds))[0];
  return (
    <li class="row">
      <div dir="auto">
        <a class="to" href={addressOf(`people/${contactId}`)} data-screen>
          {name}
        </a>
        <small>
          {named} · {afterS === 0 ? say.atOnce : say.after(spanOf(afterS))}
          {duty !== '' && (
            <>
              {' · '}
              {say.onDuty(duty)}
              {dutyUntil !== undefined && (
                <>
                  {say.until}
                  <Time at={dutyUntil} />
                </>
              )}
            </>
          )}
        </small>
      </div>
      <Chip tone={TONES[proof] ?? 'off'}>
        {newest === undefined ? (
          (say.proofs[proof] ?? proof)
        ) : (
          <>
            {say.proven}
            <Time at={newest} />
          </>
        )}
      </Chip>
    </li>
  );
}
