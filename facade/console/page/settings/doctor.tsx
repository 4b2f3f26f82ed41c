import { timestampMs } from '@bufbuild/protobuf/wkt';
import type {
  DeploymentChannel,
  GetBackupsResponse,
  GetDeploymentResponse,
} from '../../../../gen/tocsin/console/v1/deployment_pb.ts';
import type { GetReadinessResponse } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import { Chip, type Tone } from '../../design/parts.tsx';
import { useQuery } from '../live/use-query.ts';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { isOperator } from '../rpc/permissions.ts';
import { READ, READ_OF_CARRIERS, readiness } from '../rpc/rpc.ts';
import { deployment } from '../rpc/rpc-settings.ts';
import { words, wordsOf } from '../words.ts';
import { spanOf } from './units.ts';

/** Shows what the deployment says of itself and of its carriers, as `tocsin doctor` prints it. */
export function DoctorPart() {
  const say = wordsOf('health');
  const asked = useQuery('deployment', () => deployment.getDeployment({}, READ_OF_CARRIERS), '', 'slow');
  const found = useQuery('doctor', async () => {
    const [ready, backups] = await Promise.all([
      readiness.getReadiness({}, READ),
      isOperator() ? deployment.getBackups({}, READ) : null,
    ]);
    return { ready, backups };
  });
  if (asked.data === null || found.data === null) return <Waiting on={asked.data === null ? asked : found} />;
  const here = asked.data;
  const { ready, backups } = found.data;
  const checks = [...checksOf(here, ready), ...backupCheck(backups)];
  const verdicts = [...checks.map(({ is }) => is), ...here.channels.map(verdictOf)];
  const worst = (['fails', 'warns'] as const).find(verdict => verdicts.includes(verdict)) ?? 'fine';
  return (
    <>
      <section class="stack">
        <h2>{say.verdict[worst]}</h2>
        <p class="soft small">{say.version(here.version)}</p>
        <ul class="card rows">
          {here.channels.map(channel => (
            <ChannelRow key={channel.channel} of={channel} />
          ))}
        </ul>
      </section>
      <section class="stack">
        <h2>{say.deployment}</h2>
        <ul class="card rows">
          {checks.map(check => (
            <Row key={check.what} {...check} />
          ))}
        </ul>
      </section>
    </>
  );
}

type Verdict = 'fine' | 'warns' | 'fails';

interface Check {
  is: Verdict;
  what: string;
  fix: string;
  /** Where a finding leads (fixes.ts). */
  id?: string;
}

const TONES: Readonly<Record<Verdict, Tone>> = { fine: 'good', warns: 'warn', fails: 'live' };

function Row({ is, what, fix, id, of }: Check & { of?: string }) {
  const say = wordsOf('health');
  return (
    <li id={id} class={is === 'fine' ? 'row' : 'row long'}>
      <div>
        {of !== undefined && <b>{of} </b>}
        <span dir="auto">{what}</span>
        {is !== 'fine' && fix !== '' && <small dir="auto">{fix}</small>}
      </div>
      <Chip tone={TONES[is]}>{say.verdicts[is]}</Chip>
    </li>
  );
}

/** After so many seconds a call should have been applied, a message sent, and a snapshot given back. */
const LATE_S = { call: 30, message: 10, snapshot: 60 } as const;

/** A database that takes longer is slow, in milliseconds. */
const SLOW_MS = 250;

function checksOf(here: GetDeploymentResponse, { ready, total, findings }: GetReadinessResponse): Check[] {
  const say = wordsOf('health');
  const { publicUrl, networkUrls, bus, databaseMs, waitingCalls, unappliedS, overdueS, snapshotS, databaseRole } = here;
  const check = (is: Verdict, what: string, fix = '') => ({ is, what, fix });
  const span = (seconds: number) => spanOf(seconds * 1_000);
  return [
    check(ready === total && total > 0 ? 'fine' : 'warns', say.ready(ready, total), say.readyFix),
    ...(findings.length === 0
      ? [check('fine', say.listener)]
      : findings.map(({ problem, fix }) => check('warns', problem, fix))),
    {
      id: 'links',
      ...(publicUrl === ''
        ? check('warns', say.noLinks, say.linksFix(''))
        : networkUrls.length > 0
          ? check('fails', say.linksHere(publicUrl), say.linksFix(networkUrls[0]!))
          : here.linksLead === 'network'
            ? check('warns', say.linksInNetwork(publicUrl), say.linksOutsideFix)
            : check('fine', say.links(publicUrl))),
    },
    watchCheck(here),
    ...outsideCheck(here),
    check(bus === 'disconnected' ? 'warns' : 'fine', say.bus[bus] ?? bus, say.busFix),
    check(databaseMs < SLOW_MS ? 'fine' : 'warns', say.database(spanOf(databaseMs)), say.databaseFix),
    check(unappliedS > LATE_S.call ? 'warns' : 'fine', say.waiting(waitingCalls, span(unappliedS)), say.engineFix),
    overdueS < LATE_S.message ? check('fine', say.inTime) : check('fails', say.overdue(span(overdueS)), say.engineFix),
    snapshotS <= LATE_S.snapshot
      ? check('fine', say.noSnapshot)
      : check(
          'warns',
          say.snapshot(say.holders[here.snapshotKind] ?? here.snapshotKind, here.snapshotName, span(snapshotS)),
          say.snapshotFix,
        ),
    ...clockCheck(here),
    ...takeoverCheck(here),
    ...(databaseRole === 'superuser' ? [check('warns', say.superuser, say.superuserFix)] : []),
    ...returnedMail(here),
  ];
}

/** Says whether a call would alert somebody, as the watchman last saw. */
function watchCheck({ watch, watchFaults, beatMs, dryLifeMs }: GetDeploymentResponse): Check {
  const say = wordsOf('health').watch;
  const faults = watchFaults.map(fault => say.faults[fault] ?? fault).join(', ');
  const what = watch === 'well' ? say.well(spanOf(beatMs), spanOf(dryLifeMs)) : `${say.states[watch]} ${faults}`;
  return { is: watch === 'well' || watch === 'not_yet' ? 'fine' : 'fails', what, fix: say.fix };
}

/** Shown to the operator only. */
function outsideCheck({ heartbeat, heartbeatProblem }: GetDeploymentResponse): Check[] {
  const { outside, outsideFix } = wordsOf('health');
  if (heartbeat === '') return [];
  const is = heartbeat === 'lost' ? 'fails' : heartbeat === 'taken' || heartbeat === 'not_yet' ? 'fine' : 'warns';
  return [{ is, what: outside[heartbeat] ?? `${heartbeatProblem}.`, fix: heartbeat === 'held' ? '' : outsideFix }];
}

/** Shown for a week. */
function clockCheck({ clockSteppedAt, clockSteppedByS }: GetDeploymentResponse): Check[] {
  const say = wordsOf('health');
  if (clockSteppedAt === undefined || Date.now() - timestampMs(clockSteppedAt) > 7 * 86_400_000) return [];
  const direction = clockSteppedByS < 0n ? 'back' : 'forward';
  const span = spanOf(Math.abs(Number(clockSteppedByS)) * 1_000);
  return [{ is: 'warns', what: say.clockSet(direction, span), fix: say.clockFix }];
}

/** Shown for a week if something was missing. */
function takeoverCheck({ takenOverAt, callsStoredAgain, callsNotStored }: GetDeploymentResponse): Check[] {
  const say = wordsOf('health');
  if (callsStoredAgain + callsNotStored === 0 || Date.now() - timestampMs(takenOverAt!) > 7 * 86_400_000) return [];
  return [{ is: 'warns', what: say.callsLost(callsStoredAgain, callsNotStored), fix: say.callsLostFix }];
}

/** Shown to the operator only. */
function backupCheck(backups: GetBackupsResponse | null): Check[] {
  if (backups === null) return [];
  const say = wordsOf('health').backup;
  const { leftOut, refused } = backups;
  if (leftOut !== '' && refused) return [{ is: 'warns', what: say.leftOut(leftOut), fix: '' }];
  if (leftOut !== '') return [{ is: 'fails', what: say.leftOut(leftOut), fix: say.leftOutFix }];
  if (backups.state === 'not_set') return [{ is: 'warns', what: say.none, fix: refused ? '' : say.noneFix }];
  if (backups.failure !== '') return [{ is: 'fails', what: say.failed(backups.failure), fix: say.failedFix }];
  return [{ is: 'fine', what: say.made, fix: '' }];
}

/** No mail comes back where none is sent. */
function returnedMail({ channels, returnedMail: state, returnedMailProblem }: GetDeploymentResponse): Check[] {
  const say = wordsOf('health');
  const sends = channels.some(({ channel, state }) => channel === 'email' && state === 'carrier');
  if (state === 'not_set' && !sends) return [];
  if (state === 'read') return [{ is: 'fine', what: say.returned.read, fix: '' }];
  if (state === 'fails')
    return [{ is: 'fails', what: say.returned.fails(returnedMailProblem), fix: say.returned.failsFix }];
  return [{ is: 'warns', what: say.returned.notSet, fix: say.returned.notSetFix }];
}

function isLimited(respondFrom: string): boolean {
  return respondFrom === 'network' || respondFrom === 'nowhere';
}

function verdictOf({ state, asked, lastStatus, respondFrom, carriers }: DeploymentChannel): Verdict {
  if (asked === 'fails') return 'fails';
  if (carriers.some(one => one.asked === 'fails')) return 'warns';
  if (state === 'carrier' && isLimited(respondFrom)) return 'warns';
  return state !== 'carrier' || lastStatus === 'failed' || lastStatus === 'no_carrier' ? 'warns' : 'fine';
}

/** Says whether messages go out on a channel, whether its carrier answers, and what became of the last one. */
function ChannelRow({ of }: { of: DeploymentChannel }) {
  const say = wordsOf('health');
  const { channel, state, asked, problem, lastStatus, lastReason, lastAt, settings } = of;
  const is = verdictOf(of);
  const what = asked === 'fails' ? say.carrierFails(problem) : state === 'carrier' ? say.carrier[asked] : say.noCarrier;
  return (
    <li id={`channel-${channel}`} class={is === 'fine' ? 'row' : 'row long'}>
      <div>
        <b>{words().incident.channels[channel] ?? channel}</b> <span dir="auto">{what}</span>
        {settings !== '' && is !== 'fine' && (
          <small>
            {say.settings} <code>{say.names(settings)}</code>
          </small>
        )}
        {is === 'warns' &&
          of.carriers.map(
            one => one.asked === 'fails' && <small dir="auto">{say.oneFails(one.name, one.problem)}</small>,
          )}
        {state === 'carrier' && isLimited(of.respondFrom) && <small>{say.respond[of.respondFrom]}</small>}
        {lastAt !== undefined && (
          <small>
            {say.last} <Time at={lastAt} />: {say.statuses[lastStatus] ?? lastStatus}
            {lastReason !== '' && <bdi> ({lastReason})</bdi>}
          </small>
        )}
      </div>
      <Chip tone={TONES[is]}>{say.verdicts[is]}</Chip>
    </li>
  );
}
