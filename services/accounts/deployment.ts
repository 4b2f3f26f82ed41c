import type { ServiceImpl } from '@connectrpc/connect';
import type { DeploymentService } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import packageFile from '../../package.json' with { type: 'json' };
import type { OidcSettings } from '../access/oidc.ts';
import type { Asked, AskedChannel } from '../channels/channel.ts';
import type { CarriersSetUp } from '../channels/described.ts';
import { type ConsoleOn, operatorOnly } from '../configuration/console.ts';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import type { Plan } from '../domain/plan.ts';
import type { RespondFrom } from '../domain/way-back.ts';
import { linksLead, urlsInNetwork } from '../process/network.ts';
import { accessOf } from '../rpc/auth.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { readRole } from '../store/rights.ts';
import { pepperId } from '../store/secret.ts';
import { leftUnderOther } from '../store/statements/adopt.ts';
import type { ClockStep } from '../store/statements/clock.ts';
import { readListeningProblems } from '../store/statements/listening.ts';
import { type Rotated, readRotations } from '../store/statements/rotation.ts';
import { readSettings } from '../store/statements/settings.ts';
import type { SnapshotHolder } from '../store/statements/vitals.ts';
import { readLastTakeover, type Takeover } from '../store/statements/went-back.ts';
import { type BackupsOfDeployment, backupsView, noBackups } from './backups.ts';
import { type BackupsOn, setBackups } from './backups-set-up.ts';
import { REFUSED } from './carrier-refusals.ts';
import { type PublicUrlOn, publicUrlSetting, setPublicUrl } from './public-url.ts';
import { type LastOutcome, lastOutcomes } from './statements/last-outcome.ts';
import { readWaitingWork } from './statements/waiting-work.ts';
import { unknownOf } from './unknown-carriers.ts';

/** The settings of a deployment that owners and operators see. */
export interface DeploymentSettings {
  /** PLAN_DEFAULT: the plan of accounts created without one. */
  planDefault: Plan;
  /** CONTACT_VERIFICATION: whether an address is alerted only after verification, or as soon as it is stored. */
  contactVerification: 'required' | 'trusted';
  /** Returns the secret that signs the webhooks of an account. */
  webhookSecret(accountId: string): string;
  /** Where links lead, without trailing slash: PUBLIC_URL, what the operator set, or where the facade listens; null if unknown. */
  publicUrl(): string | null;
  bus: 'local' | 'nats';
  /** OIDC_ISSUER: the identity provider where members may sign in; null if none is set up. */
  oidc: OidcSettings | null;
}

/** A deployment's settings, and how it runs. */
export interface Deployment extends DeploymentSettings {
  /** The channels without a carrier. */
  unconfigured: readonly ChannelKind[];
  /** Tells from where people can respond over each channel. */
  respondFrom(publicUrl: string): Record<ChannelKind, RespondFrom>;
  /** Which settings give each channel a carrier; empty if it needs none. */
  hints: Record<ChannelKind, string>;
  /** Asks all carriers whether they would accept messages, within a time limit in milliseconds. */
  ask(limitMs: number): Promise<Record<ChannelKind, AskedChannel>>;
  /** The mailbox for returned mail; null if none is set up. */
  returned(): { problem(): string | null } | null;
  /** How carriers are set up. */
  setUp: CarriersSetUp;
  /** How the operator sets where links lead. */
  publicUrlSetting: PublicUrlOn;
  /** The backups that the product makes by itself. */
  backups: BackupsOfDeployment;
  /** How the operator sets them up. */
  backupsSetting: BackupsOn;
  /** When the database's clock was last set, and by how much; null if it never was. */
  lastClockStep(): ClockStep | null;
  /** The secrets that are being changed. */
  otherSecrets: readonly Rotated[];
  /** What the watchman saw last. */
  watched(): {
    state: 'well' | 'fails' | 'late' | 'not_yet';
    seenAt: number | null;
    faults: string[];
    beatMs: number | null;
    dryLifeMs: number | null;
    heartbeat: 'not_set' | 'not_yet' | 'taken' | 'held' | 'lost';
    heartbeatProblem: string;
  };
  /** What has kept Postgres from vacuuming for longest; null if nothing does. */
  oldestSnapshot(): (SnapshotHolder & { heldS: number }) | null;
}

/** How long a carrier may take to answer doctor, in milliseconds. */
const ASK_MS = 8_000;

/** What this deployment can do, for `tocsin doctor` and for forms. Any console token gives access. */
export function createDeploymentService(
  deps: ConsoleOn,
  deployment: Deployment,
): ServiceImpl<typeof DeploymentService> {
  return {
    async getDeployment(_request, context) {
      const { token, accountId } = await accessOf(deps.store, deps.pepper, context);
      const began = performance.now();
      // An account must not learn what others have waiting.
      const waiting = await readWaitingWork(deps.pool, token === 'operator' ? null : accountId);
      const databaseMs = performance.now() - began;
      const snapshot = deployment.oldestSnapshot();
      const publicUrl = deployment.publicUrl();
      const [asked, last] = await Promise.all([
        Promise.all([deployment.ask(ASK_MS), readListeningProblems(deps.pool)]).then(heardOf),
        accountId === null ? new Map<ChannelKind, LastOutcome>() : lastOutcomes(deps.pool, accountId),
      ]);
      return {
        version: packageFile.version,
        publicUrl: publicUrl ?? '',
        linksLead: publicUrl === null ? '' : linksLead(publicUrl),
        networkUrls: publicUrl !== null && linksLead(publicUrl) === 'this_machine' ? urlsInNetwork(publicUrl) : [],
        channels: CHANNELS.map(channel => ({
          channel,
          state: deployment.unconfigured.includes(channel) ? 'no_carrier' : 'carrier',
          asked: asked[channel].state,
          settings: deployment.hints[channel],
          respondFrom: publicUrl === null ? '' : deployment.respondFrom(publicUrl)[channel],
          problem: problemOf(asked[channel]),
          carriers:
            asked[channel].each.length < 2
              ? []
              : asked[channel].each.map(one => ({ name: one.carrier, asked: one.state, problem: problemOf(one) })),
          ...lastOf(last.get(channel)),
        })),
        token,
        accountId: accountId ?? '',
        databaseMs,
        waitingCalls: waiting.calls,
        unappliedS: Math.floor(waiting.unappliedS),
        snapshotS: Math.floor(snapshot?.heldS ?? 0),
        snapshotKind: snapshot?.kind ?? '',
        // Only the operator may know what else runs in the database.
        snapshotName: token === 'operator' ? (snapshot?.name ?? '') : '',
        databaseRole: token === 'operator' ? await readRole(deps.pool) : '',
        overdueS: waiting.overdueS,
        ...returnedMail(deployment.returned()),
        ...clockStep(deployment.lastClockStep()),
        ...takeover(await readLastTakeover(deps.pool)),
        ...watchView(deployment.watched(), token),
        secretChanges: token === 'operator' ? await secretChanges(deps, deployment.otherSecrets) : [],
        setUpCarriers: token === 'operator' ? await setUpCarriers(deps, deployment.setUp) : [],
        ...(token === 'operator' ? publicUrlSetting(deployment.publicUrlSetting) : {}),
        bus: busState(deployment.bus, deps.bus.connected),
      };
    },
    async getBackups(_request, context) {
      const { token } = await accessOf(deps.store, deps.pepper, context);
      if (token !== 'operator') throw operatorOnly('see_backups');
      return backupsView(deps.store, deployment.backups, deployment.setUp.taken);
    },
    async backUpNow(_request, context) {
      const { token } = await accessOf(deps.store, deps.pepper, context);
      if (token !== 'operator') throw operatorOnly('make_backup');
      if (deployment.backups.now() === null) throw noBackups();
      deployment.backups.backUp();
      return {};
    },
    async setPublicUrl(request, context) {
      const { token, actor } = await accessOf(deps.store, deps.pepper, context);
      if (token !== 'operator') throw operatorOnly('set_public_url');
      return setPublicUrl(deployment.publicUrlSetting, request, actor);
    },
    async setBackups(request, context) {
      const { token, actor } = await accessOf(deps.store, deps.pepper, context);
      if (token !== 'operator') throw operatorOnly('set_backups');
      await setBackups(deployment.backupsSetting, request, actor);
      return {};
    },
  };
}

/** A carrier that takes messages, and does not hear what people answer, fails. */
function heardOf([asked, problems]: [Record<ChannelKind, AskedChannel>, ReadonlyMap<string, string>]) {
  const heard = Object.entries(asked).map(([channel, of]) => {
    const problem = of.each.map(({ carrier }) => problems.get(carrier)).find(one => one !== undefined);
    return [channel, problem === undefined || of.state === 'fails' ? of : { ...of, state: 'fails', problem }] as const;
  });
  return Object.fromEntries(heard) as Record<ChannelKind, AskedChannel>;
}

function problemOf(asked: Asked): string {
  return asked.state === 'fails' ? say().faults(asked.problem) : '';
}

function lastOf(last: LastOutcome | undefined) {
  if (last === undefined) return {};
  return {
    lastStatus: last.status,
    lastReason: say().faults(last.reason ?? ''),
    lastAt: protoTime(last.triedAt),
  };
}

function returnedMail(mailbox: ReturnType<Deployment['returned']>) {
  if (mailbox === null) return { returnedMail: 'not_set' };
  const problem = mailbox.problem();
  return problem === null
    ? { returnedMail: 'read' }
    : { returnedMail: 'fails', returnedMailProblem: say().faults(problem) };
}

async function secretChanges({ pool, pepper }: ConsoleOn, changing: readonly Rotated[]) {
  if (changing.length === 0) return [];
  const rotations = await readRotations(pool);
  const left = await leftUnderOther(pool, pepperId(pepper));
  return changing.map(secret => {
    const found = rotations.find(({ what }) => what === secret);
    const nobodys = secret === 'KEY_PEPPER' ? { keysLeft: left.keys, tokensLeft: left.tokens } : {};
    const state = found?.doneAt ? 'done' : 'under_way';
    return { secret, state, moved: BigInt(found?.moved ?? 0), ...nobodys };
  });
}

async function setUpCarriers({ pool }: ConsoleOn, setUp: CarriersSetUp) {
  const stored = new Set((await readSettings(pool)).map(({ part }) => part));
  return [...setUp.described, ...unknownOf([...stored], setUp)].flatMap(({ name }) => {
    if (Object.keys(setUp.inEnvironment(name)).length > 0) return [{ name, setIn: 'environment' }];
    return stored.has(name)
      ? [
          {
            name,
            setIn: 'console',
            leftOut: setUp.taken === 'refused' ? REFUSED : say().faults(setUp.leftOut(name) ?? ''),
          },
        ]
      : [];
  });
}

/** Only the operator sees who is told outside. */
function watchView({ state, seenAt, ...seen }: ReturnType<Deployment['watched']>, token: string) {
  return {
    watch: state,
    watchFaults: state === 'fails' ? seen.faults : [],
    ...(seenAt === null ? {} : { watchedAt: protoTime(seenAt) }),
    beatMs: seen.beatMs ?? 0,
    dryLifeMs: seen.dryLifeMs ?? 0,
    ...(token === 'operator' ? { heartbeat: seen.heartbeat, heartbeatProblem: seen.heartbeatProblem } : {}),
  };
}

function clockStep(step: ClockStep | null) {
  if (step === null) return {};
  return { clockSteppedAt: protoTime(step.at), clockSteppedByS: BigInt(Math.round(step.byMs / 1_000)) };
}

function takeover(last: Takeover | null) {
  if (last === null) return {};
  const { at, knownUntil, storedAgain, notStored } = last;
  return {
    takenOverAt: protoTime(at),
    ...(knownUntil === null ? {} : { takenOverWith: protoTime(knownUntil) }),
    callsStoredAgain: storedAgain,
    callsNotStored: notStored,
  };
}

function busState(bus: Deployment['bus'], connected: boolean): string {
  if (bus === 'local') return 'local';
  return connected ? 'connected' : 'disconnected';
}
