import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ConnectError } from '@connectrpc/connect';
import type { GetDeploymentResponse } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import type { Finding } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { clean } from '../../services/process/text.ts';
import { type Check, fail, ok, warn } from './check.ts';
import { formatDuration } from './duration.ts';
import { type Explanation, explain } from './errors.ts';
import { EXIT } from './exit.ts';
import { channel, links, roundTrip, setUpCarriers } from './reach-checks.ts';
import type { Session } from './session.ts';
import { count } from './text.ts';
import { stamp } from './timeline.ts';
import { secretChanges, watch } from './watch-checks.ts';

const LARGEST_CLOCK_DIFFERENCE_S = 5;

/** Runs all checks of doctor, in order. Checks that depend on a failed one are left out. */
export async function runChecks(session: Session): Promise<Check[]> {
  const { rpc, rpcUrl, io } = session;
  /** Returns the results of a check, or that its call was refused. */
  const attempt = async (work: () => Promise<Check[]>, refused: (explanation: Explanation) => Check[]) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectError) || io.signal.aborted) throw error;
      return refused(explain(error, rpcUrl, io.signal));
    }
  };
  return attempt(
    async () => {
      const deployment = await rpc.deployment.getDeployment({});
      const failed = (name: string) => (explanation: Explanation) => [fail(name, explanation.message, '')];
      return [
        ok('reach', `Tocsin ${clean(deployment.version)} answers at ${rpcUrl}.`),
        token(deployment),
        ...(await attempt(() => account(session, deployment), failed('account'))),
        ...deployment.channels.map(channel),
        ...setUpCarriers(deployment),
        ...returnedMail(deployment),
        links(deployment),
        ...(await roundTrip(deployment, io.signal)),
        ...watch(deployment),
        bus(deployment),
        realtime(deployment),
        database(deployment),
        ...clockSteps(deployment),
        ...takeover(deployment),
        ...role(deployment),
        ...secretChanges(deployment),
        waiting(deployment),
        snapshot(deployment),
        ...(await attempt(() => backups(session, deployment), failed('backup'))),
        overdue(deployment),
        ...(await attempt(() => readiness(session, deployment), failed('readiness'))),
      ];
    },
    ({ exit, message }) =>
      exit === EXIT.notAllowed
        ? [ok('reach', `Tocsin answers at ${rpcUrl}.`), fail('token', message, '')]
        : [fail('reach', message, '')],
  );
}

function token({ token }: GetDeploymentResponse): Check {
  return ok('token', token === 'operator' ? "It is the operator's token." : 'It is the token of an account.');
}

async function account({ rpc }: Session, { accountId }: GetDeploymentResponse): Promise<Check[]> {
  if (accountId === '') {
    return [warn('account', 'No account was named.', 'Set TOCSIN_ACCOUNT or pass --account; tocsin accounts list.')];
  }
  const { account } = await rpc.accounts.getAccount({});
  const plan = await rpc.accounts.getPlan({});
  const ends = plan.channelsUntilTrialEnds.join(', ');
  return [
    ok('account', `${clean(account!.name)} (${accountId}).`),
    ends === ''
      ? ok('plan', `${plan.plan}: ${plan.channels.join(', ')}.`)
      : warn('plan', `${plan.plan}: ${ends} will end after the first 14 days.`, 'tocsin accounts plan shows when.'),
  ];
}

function bus({ bus }: GetDeploymentResponse): Check {
  if (bus === 'connected') return ok('bus', 'NATS is connected.');
  if (bus === 'local') return ok('bus', 'Change signals stay in this one process.');
  return warn(
    'bus',
    'NATS is not connected: other processes hear of changes late.',
    'Check NATS_URL and the NATS server.',
  );
}

function realtime({ publicUrl }: GetDeploymentResponse): Check {
  if (publicUrl !== '') return ok('realtime', `Integrations are told to listen at ${clean(new URL(publicUrl).host)}.`);
  const found = 'Integrations are not told where to listen: they hear of changes by asking.';
  return warn('realtime', found, 'Set PUBLIC_URL where the services run.');
}

function database({ databaseMs }: GetDeploymentResponse): Check {
  const found = `It answered in ${databaseMs.toFixed(1)} ms.`;
  return databaseMs < 250 ? ok('database', found) : warn('database', found, 'Check the load and the disk of Postgres.');
}

/** A clock that somebody set harms nothing here, but the next step may hide a real one; told for a week. */
function clockSteps({ clockSteppedAt, clockSteppedByS }: GetDeploymentResponse): Check[] {
  if (clockSteppedAt === undefined || Date.now() - timestampDate(clockSteppedAt).getTime() > TOLD_MS) return [];
  const seconds = Number(clockSteppedByS);
  const by = `${seconds < 0 ? 'back' : 'forward'} by ${formatDuration(Math.abs(seconds))}`;
  const found = `The database's clock was set ${by}, noticed ${stamp(clockSteppedAt)}. Whatever waited went on waiting for as long as it had to.`;
  return [warn('steps', found, "Let the database's machine keep its time by NTP, and its hardware clock in UTC.")];
}

const TOLD_MS = 7 * 86_400_000;

/** A server that took over may lack what was confirmed; told for a week. */
function takeover(found: GetDeploymentResponse): Check[] {
  const { takenOverAt, takenOverWith, callsStoredAgain: again, callsNotStored: lost } = found;
  if (takenOverAt === undefined || Date.now() - timestampDate(takenOverAt).getTime() > TOLD_MS) return [];
  const had = takenOverWith === undefined ? '' : ` It had everything up to ${stamp(takenOverWith)} at least.`;
  const said = `Another server took over the database, noticed ${stamp(takenOverAt)}.${had}`;
  if (again + lost === 0) {
    return [
      ok(
        'takeover',
        `${said} Of what the processes that live confirmed nothing was missing; what others confirmed after that time cannot be told.`,
      ),
    ];
  }
  const missing = `${count(again + lost, 'confirmed call')} ${again + lost === 1 ? 'was' : 'were'} missing: ${again} stored again, ${lost} not.`;
  const fix = 'A cluster must not confirm what it then loses: see "A second Postgres that takes over" in operating.md.';
  return [warn('takeover', `${said} ${missing}`, fix)];
}

/** Only the operator is told. */
function role({ databaseRole }: GetDeploymentResponse): Check[] {
  if (databaseRole === 'rows_only') return [ok('role', "Tocsin's database user may read and write rows, and no more.")];
  const fix = 'Give it a user of its own in DATABASE_URL, and set MIGRATE_DATABASE_URL to the present one.';
  if (databaseRole === 'owner') {
    return [ok('role', `Tocsin's database user owns its tables, and so may alter and drop them. ${fix}`)];
  }
  return databaseRole === 'superuser'
    ? [warn('role', "Tocsin's database user may do anything on that server.", fix)]
    : [];
}

/** After how many seconds a call should have been applied, and a snapshot released. */
const LATE_S = { call: 30, snapshot: 60 } as const;

function waiting({ waitingCalls, unappliedS }: GetDeploymentResponse): Check {
  const since = waitingCalls > 0 && unappliedS > 0 ? `, the oldest for ${formatDuration(unappliedS)}` : '';
  const found = `${count(waitingCalls, 'accepted call')} to be applied${since}.`;
  return waitingCalls < 100 && unappliedS <= LATE_S.call
    ? ok('waiting', found)
    : warn('waiting', found, 'Check that the engine is running (its log, /readyz).');
}

/** What holds a snapshot, and how to make it release it. */
const HOLDERS: Readonly<Record<string, (name: string) => [who: string, fix: string]>> = {
  transaction: pid => [
    `A transaction${nameIn(pid, 'process ')}`,
    `End what runs it, such as a backup, or in Postgres: SELECT pg_terminate_backend(${pid || '<process id>'}).`,
  ],
  prepared_transaction: gid => [
    `A prepared transaction${nameIn(gid)}`,
    'End it in Postgres, by COMMIT PREPARED or ROLLBACK PREPARED.',
  ],
  standby: name => [`A standby${nameIn(name)}`, 'End long queries there, or switch hot_standby_feedback off.'],
  replication_slot: name => [
    `A replication slot${nameIn(name)}`,
    'Let its standby come back and end long queries there, or drop the slot: SELECT pg_drop_replication_slot(…).',
  ],
};

function nameIn(name: string, before = ''): string {
  return name === '' ? '' : ` (${before}${clean(name)})`;
}

function snapshot({ snapshotS, snapshotKind, snapshotName }: GetDeploymentResponse): Check {
  if (snapshotS <= LATE_S.snapshot) return ok('snapshot', 'Nothing keeps Postgres from cleaning up.');
  const [who, fix] = HOLDERS[snapshotKind]?.(snapshotName) ?? ['Something', 'Check pg_stat_activity in Postgres.'];
  const found = `${who} has kept Postgres from cleaning up for ${formatDuration(snapshotS)}; the longer this lasts, the slower Tocsin gets.`;
  return warn('snapshot', found, fix);
}

/** Only the operator is told. */
async function backups({ rpc }: Session, { token }: GetDeploymentResponse): Promise<Check[]> {
  if (token !== 'operator') return [];
  const { state, failure, last, nextAt, leftOut, refused, environment } = await rpc.deployment.getBackups({});
  if (leftOut !== '' && refused) {
    return [warn('backup', `What is stored for backups does not count here: ${clean(leftOut)}.`, '')];
  }
  if (leftOut !== '') {
    const found = `What is stored for backups cannot be used, and none is made: ${clean(leftOut)}`;
    return [fail('backup', found, 'Set them up anew: tocsin backups set, or tocsin backups off.')];
  }
  if (state === 'not_set') {
    const fix = refused
      ? ''
      : environment.length === 0
        ? 'Set them up: tocsin backups set, or Operator, Backup in the console. Or let a timer call tocsin backup.'
        : `Set BACKUP_DIR too where Tocsin runs, as ${environment.join(', ')} is, or let a timer call tocsin backup.`;
    return [warn('backup', 'Tocsin makes no backup by itself.', fix)];
  }
  const before =
    last === undefined ? 'There is none yet.' : `The latest is of ${stamp(last.at!)}: ${clean(last.file)}.`;
  if (failure === '') return [ok('backup', state === 'under_way' ? `One is being made. ${before}` : before)];
  const fix = `Fix that: it is tried again at ${stamp(nextAt!)}, or at once from the console.`;
  return [fail('backup', `${clean(failure)} ${before}`, fix)];
}

function overdue({ overdueS }: GetDeploymentResponse): Check {
  if (overdueS < 10) return ok('messages', 'None is late.');
  const found = `The oldest that is due is ${formatDuration(overdueS)} late.`;
  return fail('messages', found, 'Check that the engine is running, and what its log says about the carrier.');
}

async function readiness({ rpc }: Session, { accountId }: GetDeploymentResponse): Promise<Check[]> {
  if (accountId === '') return [];
  const asked = Date.now();
  const { at, ready, total, findings } = await rpc.readiness.getReadiness({});
  const middle = (asked + Date.now()) / 2;
  const found = `${ready} of ${count(total, 'source')} can alert somebody in every mode.`;
  const todo =
    total === 0
      ? 'Create one: tocsin setup, or tocsin alarms create --help.'
      : 'tocsin readiness says what is missing.';
  return [
    ...(at === undefined ? [] : [clock((timestampDate(at).getTime() - middle) / 1000)]),
    total > 0 && ready === total ? ok('readiness', found) : warn('readiness', found, todo),
    ...listener(findings),
  ];
}

/** Whether an owner is told when an alarm reaches nobody. */
function listener(findings: readonly Finding[]): Check[] {
  if (findings.length === 0) return [ok('listener', 'An owner is told when an alarm reaches nobody.')];
  return findings.map(({ problem, fix }) => warn('listener', clean(problem), clean(fix)));
}

/** `ahead`: the seconds by which Tocsin's clock is ahead of this one. */
function clock(ahead: number): Check {
  const found = `Tocsin's clock and this one differ by ${Math.abs(ahead).toFixed(1)} s.`;
  if (Math.abs(ahead) <= LARGEST_CLOCK_DIFFERENCE_S) return ok('clock', found);
  return warn('clock', found, 'Let both machines keep their time by NTP; Tocsin goes by the clock of its database.');
}

/** Mail that a server accepted may come back later. If no mail is sent there is nothing to report. */
function returnedMail({ channels, returnedMail: state, returnedMailProblem }: GetDeploymentResponse): Check[] {
  if (state === 'read') return [ok('returned', 'Bounced mail is read.')];
  if (state === 'fails') {
    const found = `Bounced mail cannot be read: ${clean(returnedMailProblem)}.`;
    return [fail('returned', found, 'Check MAIL_BOUNCE_IMAP.')];
  }
  if (!channels.some(one => one.channel === 'email' && one.state === 'carrier')) return [];
  const found = 'Nobody reads bounced mail: it stays "sent", and no other channel is tried.';
  return [warn('returned', found, 'Set MAIL_BOUNCE and MAIL_BOUNCE_IMAP where Tocsin runs.')];
}
