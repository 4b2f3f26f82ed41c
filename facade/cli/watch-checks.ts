import type { GetDeploymentResponse } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import { clean } from '../../services/process/text.ts';
import { type Check, fail, ok, warn } from './check.ts';
import { count } from './text.ts';
import { stamp } from './timeline.ts';

/** What each fault means, and what to look at. */
const FAULTS: Readonly<Record<string, readonly [found: string, fix: string]>> = {
  database: ['the database does not answer', 'Check whether Postgres runs, its disk and its connections.'],
  beat: [
    'a call would not be stored, or not be applied',
    "Check the log, Postgres's disk, and what holds locks there.",
  ],
  dry_life: ['an alarm would not lead to a message', 'Look for "what the watchman tried" in the log.'],
  unapplied: ['accepted calls wait to be applied', 'Check the log, and what holds locks in Postgres.'],
  overdue: ['messages are due and are not tried', 'Check the log for what it says about the carrier.'],
  carriers: ['no carrier answers', 'The lines of the channels say why; check the network of this machine.'],
  disk: [
    'the disk of the database is nearly full, and is kept for alarms',
    'Make room on it: nothing else is stored there meanwhile.',
  ],
  clock_lost: ['the clock of the deployment is not kept', 'Check the log, and whether the database answers.'],
  clock_stepped: ["the database's clock was just set", "Let the database's machine keep its time by NTP."],
  bus: ['NATS is not connected', 'Check NATS_URL and the NATS server.'],
  senders: [
    'many senders of several accounts fell silent at once',
    'Check whether the line of this machine and the way to its facade are open.',
  ],
  own_way: ['the facade does not answer at its own door', 'Check HTTP_PORT, TLS_CERT and TLS_KEY, and the log.'],
};

/** Whether a call would alert somebody, as the watchman tries every 20 s, and who is told outside. */
export function watch(of: GetDeploymentResponse): Check[] {
  return [watchman(of), ...outside(of)];
}

function watchman({ watch, watchFaults, watchedAt, beatMs, dryLifeMs }: GetDeploymentResponse): Check {
  if (watch === 'not_yet') return ok('watchman', 'It has not looked yet: it does 20 s after the start.');
  const at = watchedAt === undefined ? '' : `, ${stamp(watchedAt)}`;
  if (watch === 'late') {
    const last = watchedAt === undefined ? 'It has never looked' : `It last looked ${stamp(watchedAt)}`;
    return fail('watchman', `${last}, and does so every 20 s.`, 'Check the log, and whether the database answers.');
  }
  if (watch === 'well') {
    const found = `A call was stored and applied in ${beatMs.toFixed(1)} ms, and an alarm led to a message in ${dryLifeMs.toFixed(1)} ms${at}.`;
    return ok('watchman', found);
  }
  const known = watchFaults.map(fault => FAULTS[fault] ?? [clean(fault), '']);
  return fail(
    'watchman',
    `${sentence(known.map(([found]) => found).join(', and '))}${at === '' ? '' : ` (${stamp(watchedAt!)})`}.`,
    known.map(([, fix]) => fix).join(' '),
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How far a change of the deployment's secrets is. Only the operator is told. */
export function secretChanges({ secretChanges }: GetDeploymentResponse): Check[] {
  return secretChanges.map(({ secret, state, moved, keysLeft, tokensLeft }) => {
    const name = 'secrets';
    const so = `${clean(secret)} is being changed, and ${count(Number(moved), 'row')} moved to the new one`;
    if (state !== 'done') return warn(name, `${so} so far.`, `Leave ${clean(secret)}_ALSO set until all are.`);
    if (keysLeft + tokensLeft === 0) {
      return ok(name, `${so}: nothing is left under the other. Leave ${clean(secret)}_ALSO out at the next start.`);
    }
    const left = `${count(keysLeft, 'API key')} and ${count(tokensLeft, 'console token')}`;
    const fix =
      'Each moves with its next call. Without KEY_PEPPER_ALSO they open nothing: rotate those that are needed.';
    return warn(name, `${so}. Nobody has used ${left} since.`, fix);
  });
}

/** Only the operator is told. */
function outside({ heartbeat, heartbeatProblem }: GetDeploymentResponse): Check[] {
  if (heartbeat === 'taken') return [ok('outside', 'HEARTBEAT_URL was told that all is well.')];
  if (heartbeat === 'not_yet') return [ok('outside', 'This process has not called HEARTBEAT_URL yet.')];
  if (heartbeat === 'held') {
    return [warn('outside', 'HEARTBEAT_URL was told that something fails.', 'See "watchman" above.')];
  }
  if (heartbeat === 'lost') {
    return [fail('outside', `${clean(heartbeatProblem)}.`, 'Check HEARTBEAT_URL, and the way out of this network.')];
  }
  if (heartbeat !== 'not_set') return [];
  const found = 'Nobody outside notices if all of this stops.';
  return [warn('outside', found, 'Set HEARTBEAT_URL to an address of Healthchecks or the like.')];
}
