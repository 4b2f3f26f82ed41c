import { createClient, type Transport } from '@connectrpc/connect';
import type { Logger } from 'pino';
import { Health, HealthCheckResponse_ServingStatus } from '../../gen/grpc/health/v1/health_pb.ts';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { ResponderService } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { BatchService } from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { askOwners } from '../access/invitation.ts';
import { createCodeMail } from '../access/sign-in-code.ts';
import type { DeploymentSettings } from '../accounts/deployment.ts';
import { createPlanKeeper, PLANS_POLL_MS } from '../accounts/plan-keeper.ts';
import { createAlarmService } from '../alarm/service.ts';
import { startBackups } from '../backup/schedule.ts';
import { type Bus, subjects } from '../changes/bus.ts';
import type { LiveChannels } from '../channels/live.ts';
import { createTestKeeper, TESTS_POLL_MS } from '../configuration/test-keeper.ts';
import { carriersOf } from '../domain/reach.ts';
import { createAccept } from '../engine/accept/accept.ts';
import { createCommits } from '../engine/accept/commits.ts';
import { createConfirmed } from '../engine/accept/confirmed.ts';
import { createKeyUses } from '../engine/accept/key-uses.ts';
import { metered } from '../engine/accept/metrics.ts';
import { createRefusalLog } from '../engine/accept/refusals.ts';
import { createTurnedAwayNotices } from '../engine/accept/turned-away.ts';
import { type Steady, startClock } from '../engine/clock.ts';
import { startEngine } from '../engine/engine.ts';
import { type Retention, startRetention } from '../engine/keep/retention.ts';
import { startRotation } from '../engine/keep/rotation.ts';
import { startLoop } from '../engine/loop.ts';
import { meetServer } from '../engine/takeover.ts';
import { startAccepting } from '../engine/watch/accepting.ts';
import { startDuties } from '../engine/watch/duties.ts';
import { startSenders } from '../engine/watch/senders.ts';
import { startVitals } from '../engine/watch/vitals.ts';
import { type Heartbeat, startWatchman } from '../engine/watch/watchman.ts';
import { createIncidentService } from '../incident/service.ts';
import { createInventoryService } from '../inventory/service.ts';
import type { Kept } from '../limits/kept.ts';
import { createRateLimits, NO_RATE_LIMITS } from '../limits/rate-limits.ts';
import { createStrangers, NO_STRANGERS } from '../limits/strangers.ts';
import { RATES } from '../limits/table.ts';
import { createHealthPages, type MetricsPlace, serveHealthPages } from '../process/health-pages.ts';
import { takeChatOf } from '../readiness/chat-link.ts';
import { createPersonLinks } from '../readiness/person-links.ts';
import { createLinks } from '../responder/links.ts';
import { createResponderService } from '../responder/service.ts';
import { findHolder } from '../rpc/auth.ts';
import { createBatchService } from '../rpc/batch.ts';
import { implementation } from '../rpc/boundary.ts';
import { createDirectTransport } from '../rpc/direct.ts';
import { createGates } from '../rpc/gate.ts';
import { createHealthService } from '../rpc/health.ts';
import { createLookups } from '../rpc/lookups.ts';
import { accountCallsLimited } from '../rpc/metrics.ts';
import { type RpcBounds, serveRpc } from '../rpc/port.ts';
import { createReflection } from '../rpc/reflection.ts';
import { createDigests, createKeyDigests } from '../store/key-digests.ts';
import type { ChangingSeal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import { findHolders } from '../store/statements/access.ts';
import { adoptKey, adoptToken } from '../store/statements/adopt.ts';
import { readKnownKeys } from '../store/statements/credential.ts';
import type { Rotated } from '../store/statements/rotation.ts';
import type { Store } from '../store/store.ts';
import type { CarriersHere } from './carriers.ts';
import { createConsoleServices } from './console-services.ts';
import { followSettings } from './follow-settings.ts';
import { startFromCarriers } from './from-carriers.ts';
import type { PublicUrlHere } from './public-url.ts';
import type { BackupsHere } from './stored-backups.ts';

/** What the services need. Their starter opens and closes these. */
export interface Foundations {
  store: Store;
  bus: Bus;
  /** Whoever holds the channels of the carriers has those of now. */
  carriers: CarriersHere;
  channels: LiveChannels;
  /** Where links lead by settings; `deployment.publicUrl` also knows where the facade listens. */
  publicUrl: PublicUrlHere;
  seal: ChangingSeal;
  /** KEY_PEPPER, with which secrets are digested. */
  pepper: Pepper;
  rpc: { host: string; port: number; serviceToken: string | null } & RpcBounds;
  /** `off`: no account is rate-limited, and bad keys and tokens are not answered slowly. */
  rateLimits: 'on' | 'off';
  /** What accounts may make the database keep. */
  kept: Kept;
  deployment: DeploymentSettings;
  retention: Retention;
  /** Backups by schedule, as they are set up now. */
  backups: BackupsHere;
  metrics: MetricsPlace;
  /** Tells somebody outside whether all is well (HEARTBEAT_URL); null: nobody. */
  heartbeat: Heartbeat | null;
  /** Asks the facade of this process whether it answers at its own door; absent: it has none. */
  ownWay?(): Promise<'answers' | 'fails'>;
  /** What counts time as no clock that is set does; absent: this machine. */
  steady?: Steady;
  log: Logger;
}

export interface Services {
  /** Reaches the services within this process. */
  transport: Transport;
  rpcUrl: string;
  /** The URL of METRICS_PORT, without trailing slash; null if the figures are at `rpcUrl`, or another part serves them. */
  metricsUrl: string | null;
  /** Resolves when nothing is queued, no timer is due, no message is in flight and every refusal is written. */
  drain(): Promise<void>;
  /** Resolves when the deployment's time is right, whatever was done to the clocks before. */
  keepTime(): Promise<void>;
  /** Resolves when everything past its retention is removed. */
  sweep(): Promise<void>;
  /** Resolves when /metrics and `tocsin doctor` are up to date. */
  measure(): Promise<void>;
  /** Resolves when all that can be moved is under DATA_KEY and KEY_PEPPER, and nothing under what they were before. */
  rotate(): Promise<void>;
  /** Resolves when the watchman has looked once more. */
  watch(): Promise<void>;
  /** Stops taking calls, finishes what is in flight and leaves the rest to the next start. */
  close(): Promise<void>;
}

/** Starts the engine and the RPC services. If a part fails to start, those before it are stopped. */
export async function startServices(deps: Foundations): Promise<Services> {
  const { store, log, pepper } = deps;
  await using starting = new AsyncDisposableStack();
  const links = createLinks({ pepper, publicUrl: deps.deployment.publicUrl });
  // On the connections of accepting: whatever the rest does, time goes on.
  const clock = await startClock({ ...deps, pool: store.accepting, onNotice: () => engine.noticed() });
  starting.defer(clock.close);
  const confirmed = createConfirmed({
    pool: store.accepting,
    log,
    meet: client => meetServer(client, log, () => clock.lookOn(client)),
    onStored: () => engine.accepted(),
    onNotice: () => engine.noticed(),
  });
  const accepting = startAccepting({ pool: store.accepting, log, ...uptimeOf(deps) });
  starting.defer(accepting.close);
  const senders = startSenders({
    pool: store.pool,
    log,
    accepting,
    onNotice: () => engine.noticed(),
    onAlert: () => engine.nudge(),
  });
  starting.defer(senders.close);
  const engine = startEngine({ ...deps, pool: store.working, links, clock, onArmed: senders.armed });
  starting.defer(engine.close);

  const { contactVerification } = deps.deployment;
  const keepPlans = createPlanKeeper({
    ...deps,
    pool: store.pool,
    orm: store.orm,
    nudge: engine.nudge,
    contactVerification,
  });
  const plans = startLoop('plans', keepPlans, log, PLANS_POLL_MS);
  starting.defer(plans.close);

  const duties = startDuties({ pool: store.pool, kept: deps.kept, log, onNotice: engine.noticed });
  starting.defer(duties.close);

  const keepTests = createTestKeeper({
    ...deps,
    pool: store.pool,
    orm: store.orm,
    nudge: engine.nudge,
    contactVerification,
    onNotice: engine.noticed,
  });
  const tests = startLoop('tests', keepTests, log, TESTS_POLL_MS);
  starting.defer(tests.close);

  const removing = startRetention({ pool: store.pool, keep: deps.retention, log });
  starting.defer(removing.close);

  const rotation = startRotation({ ...deps, pool: store.pool });
  starting.defer(rotation.close);

  const vitals = startVitals({ ...store, log });
  starting.defer(vitals.close);

  const watchman = startWatchman({
    ...store,
    onStored: engine.accepted,
    ask: deps.channels.ask,
    clock,
    space: deps.kept.space,
    bus: () => busNow(deps),
    ownWay: deps.ownWay ?? (async () => 'not_here'),
    senders: senders.state,
    heartbeat: deps.heartbeat,
    log,
  });
  starting.defer(watchman.close);

  const backups = startBackups({ pool: store.pool, log }, deps.backups);
  starting.defer(backups.close);

  const settings = followSettings(deps);
  starting.defer(settings.close);

  const { publicUrl } = deps.deployment;
  const { email } = deps.channels.byKind;
  const stores = { pool: store.pool, orm: store.orm };
  const changing = { ...deps, ...stores, nudge: engine.nudge, contactVerification, publicUrl };
  const personLinks = createPersonLinks(changing);
  const connect = (code: string, address: string) => takeChatOf(changing, code, address);
  const fromCarriers = startFromCarriers({ ...deps, links }, engine, connect);
  starting.defer(fromCarriers.close);

  const codes = createCodeMail({ ...changing, email });
  const codeMail = startLoop('codes to sign in', codes.look, log, NUDGED_POLL_MS);
  starting.defer(codeMail.close);

  const askUnasked = async () => ((await askOwners({ ...changing, email }, null)).left === 'some' ? 'now' : LATER);
  const invitations = startLoop('invitations', askUnasked, log, NUDGED_POLL_MS);
  starting.defer(invitations.close);

  const refusals = createRefusalLog(store.pool, log, {
    ...deps,
    onTurnedAway: createTurnedAwayNotices(store.pool),
  });
  starting.defer(refusals.close);

  const keyUses = createKeyUses(store.pool, log);
  starting.defer(keyUses.close);

  const digests = createKeyDigests(pepper, of => adoptKey(store.pool, of));
  starting.defer(deps.bus.subscribe(subjects.keys, digests.forgetUnknown));
  const keys = createLookups(digests, all => readKnownKeys(store.pool, all), KEY_FOUND_FOR_MS);
  const { limits, strangers } = limiting(deps.rateLimits);
  const commits = createCommits(store.accepting);
  const accept = createAccept({
    limits,
    kept: deps.kept,
    pool: store.accepting,
    digests,
    refusals,
    keyUses,
    engagedOf: engine.engagedOf,
    believed: clock.believed,
    onStored(group) {
      confirmed.remember(group);
      commits.committed();
      engine.accepted();
    },
    onFailed(cause) {
      commits.failed(cause);
      accepting.broke();
    },
  });
  const implementations = [
    implementation(AlarmService, createAlarmService(metered(accept))),
    implementation(
      InventoryService,
      createInventoryService({
        pool: store.pool,
        digests,
        keys,
        limits,
        keyUses,
        refusals,
        bus: deps.bus,
        publicUrl,
      }),
    ),
    implementation(IncidentService, createIncidentService({ ...deps, nudge: engine.nudge })),
    implementation(
      ResponderService,
      createResponderService({
        ...deps,
        links,
        ...personLinks,
        carriers: carriersOf(deps.channels),
        callbacks: deps.channels.callbacks,
        nudge: engine.nudge,
        scheduled: engine.scheduled,
        reported: engine.reported,
      }),
    ),
    ...createConsoleServices({
      ...deps,
      nudge: engine.nudge,
      verificationLinks: personLinks.verificationLinks,
      startDrill: engine.startDrill,
      limits,
      oldestSnapshot: vitals.oldestSnapshot,
      lastClockStep: clock.lastStep,
      watched: watchman.last,
      otherSecrets: otherSecretsOf(deps),
      setUp: deps.carriers,
      followSettings: settings.drain,
      backups: { ...deps.backups, backUp: backups.backUp },
      askCode(asked) {
        codes.ask(asked);
        codeMail.nudge();
      },
    }),
  ];
  const names = implementations.map(({ service }) => service.typeName);
  implementations.push(implementation(Health, createHealthService({ pool: store.accepting, commits, clock }, names)));
  const inner = createDirectTransport(implementations);

  const drain = async () => {
    await clock.drain();
    await settings.drain();
    // These come first, because they make work for the engine.
    await plans.drain();
    await duties.drain();
    await tests.drain();
    await fromCarriers.drain();
    await codeMail.drain();
    await invitations.drain();
    await backups.drain();
    await engine.drain();
    await refusals.flush();
    await keyUses.flush();
    await senders.drain();
    await engine.drain();
  };
  const tokens = createLookups(
    createDigests(pepper, { ...TOKENS, adopt: of => adoptToken(store.pool, of) }),
    all => findHolders(store.pool, all),
    0,
    async secret => (typeof pepper === 'string' ? null : findHolder(store, pepper, secret)),
  );
  const gates = createGates({ serviceToken: deps.rpc.serviceToken, keys, tokens, limits, strangers });
  const transport = createDirectTransport(implementations, gates.direct);
  const batch = implementation(BatchService, createBatchService(transport, implementations, log));
  const reflection = createReflection(implementations.map(({ service }) => service));
  const health = createHealthPages(async () => {
    return (await createClient(Health, inner).check({})).status === HealthCheckResponse_ServingStatus.SERVING;
  });
  const pages = await serveHealthPages(deps.metrics, health, log);
  starting.defer(pages.close);
  const all = [...implementations, batch, ...reflection];
  const rpc = await serveRpc({
    ...deps.rpc,
    gate: gates.port,
    health,
    metrics: deps.metrics,
    implementations: all,
    log,
  });
  starting.defer(rpc.close);

  const running = starting.move();
  return {
    transport,
    rpcUrl: rpc.url,
    metricsUrl: pages.url,
    drain,
    keepTime: clock.drain,
    sweep: removing.sweep,
    measure: vitals.measure,
    rotate: rotation.move,
    watch: watchman.look,
    close: () => running.disposeAsync(),
  };
}

function uptimeOf({ steady }: Foundations) {
  return steady === undefined ? {} : { uptimeMs: steady.uptimeMs };
}

/** The secrets that are being changed: those with another one beside them. */
function otherSecretsOf({ seal, pepper }: Foundations): Rotated[] {
  return [
    ...(seal.keys === 'two' ? (['DATA_KEY'] as const) : []),
    ...(typeof pepper === 'string' ? [] : (['KEY_PEPPER'] as const)),
  ];
}

/** Where nothing has to travel between processes there is nothing to lose. */
function busNow({ bus, deployment }: Foundations): 'connected' | 'disconnected' | 'not_used' {
  if (deployment.bus === 'local') return 'not_used';
  return bus.connected ? 'connected' : 'disconnected';
}

/** Requests for codes nudge their loop, and changes ask the owners they name; the rest is named by files, and by what a start makes. */
const NUDGED_POLL_MS = 60_000;
const LATER = { inMs: Number.POSITIVE_INFINITY };

/** For how long a key that a gate found is admitted without asking, in milliseconds: each call asks itself what it opens. */
const KEY_FOUND_FOR_MS = 5_000;

/** A console token may be one that the operator just chose (CONSOLE_TOKEN) for another process. */
const TOKENS = { mayBe: (secret: string) => secret !== '' && secret.length <= 1_000, unknownForMs: 5_000 };

function limiting(rateLimits: Foundations['rateLimits']) {
  if (rateLimits === 'off') return { limits: NO_RATE_LIMITS, strangers: NO_STRANGERS };
  const onLimited = (callClass: string) => accountCallsLimited.inc({ class: callClass });
  return { limits: createRateLimits(RATES.account, { onLimited }), strangers: createStrangers('rpc') };
}
