import { useState } from 'preact/hooks';
import type { Session } from '../../../../gen/tocsin/console/v1/sessions_pb.ts';
import { Chip } from '../../design/parts.tsx';
import { ConfirmAct } from '../forms/confirm-act.tsx';
import { useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { may } from '../rpc/permissions.ts';
import { READ, sessions } from '../rpc/rpc.ts';
import { lost, signOut } from '../rpc/session.ts';
import { wordsOf } from '../words.ts';
import { SecondDevice } from './second-device.tsx';
import { Tokens } from './tokens.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

/** Shows what opens the account: sessions, console tokens, and the secret that its webhooks are signed with. */
export function AccessPart() {
  return (
    <>
      <Sessions />
      {may('manage') && <Tokens />}
      {may('manage') && <WebhookSecret />}
    </>
  );
}

function Sessions() {
  const say = wordsOf('settings').access;
  const found = useQuery('sessions', async () => (await sessions.listSessions({}, READ)).sessions);
  const [asking, ask] = useState(false);
  const doing = useDoing();
  if (found.data === null) return <Waiting on={found} />;
  return (
    <section class="stack">
      <h2>{say.sessions}</h2>
      <p class="soft">{say.sessionsText}</p>
      <ul class="card rows">
        {found.data.map(one => (
          <SessionRow key={one.id} of={one} />
        ))}
      </ul>
      <SecondDevice own={found.data} />
      <div class="choices">
        <button type="button" class="button quiet" onClick={() => ask(true)}>
          {say.endAll}
        </button>
      </div>
      <p class="soft small">
        {say.link} <code>tocsin sign-in-link</code>
      </p>
      {asking && (
        <ConfirmAct
          doing={doing}
          title={say.endAllTitle}
          text={say.endAllText}
          yes={say.endAll}
          act={() => signOut('everywhere')}
          onEnd={() => ask(false)}
        />
      )}
    </section>
  );
}

function SessionRow({ of: { id, agent, address, lastSeenAt, expiresAt, current } }: { of: Session }) {
  const say = wordsOf('settings').access;
  const doing = useDoing();
  async function end() {
    const result = await doing.run(() => sessions.endSession({ sessionId: id }));
    if (result === 'done' && current) lost();
  }
  return (
    <li class="row">
      <div>
        <b dir="auto" title={agent}>
          {deviceOf(agent) ?? say.unknownAgent}
        </b>
        <small>
          {say.seen} <Time at={lastSeenAt} /> {address !== '' && <bdi>{say.from(address)}</bdi>} · {say.ends}{' '}
          <Time at={expiresAt} />
        </small>
        {doing.refusal !== null && (
          <small class="wrong" role="alert">
            {doing.refusal.message}
          </small>
        )}
      </div>
      <div class="doing">
        {current && <Chip tone="good">{say.current}</Chip>}
        <button
          type="button"
          class="button bare"
          aria-label={`${say.end}: ${deviceOf(agent) ?? say.unknownAgent}`}
          disabled={doing.is === 'working'}
          onClick={() => void end()}
        >
          {say.end}
        </button>
      </div>
    </li>
  );
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'Mac'],
  [/Linux/, 'Linux'],
];

/** Returns a device as people know it, such as `Firefox, Linux`; for what is no browser its own words; null if it said nothing. */
function deviceOf(agent: string): string | null {
  const browser = BROWSERS.find(([is]) => is.test(agent))?.[1];
  const system = SYSTEMS.find(([is]) => is.test(agent))?.[1];
  if (browser === undefined || system === undefined) return agent === '' ? null : agent;
  return `${browser}, ${system}`;
}
