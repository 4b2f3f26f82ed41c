import { setImmediate } from 'node:timers/promises';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { FindingInit } from '../configuration/console.ts';
import { readMeans } from '../configuration/plan-coverage.ts';
import type { ResourceKind } from '../configuration/resource.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import type { PolicyNow } from '../domain/duty-told.ts';
import type { ProvenAt, Rang } from '../domain/proof.ts';
import type { CopiedAddress, Means } from '../domain/reach.ts';
import {
  accountFindings,
  type Finding,
  type JudgedPolicy,
  type ReadinessFacts,
  readinessOf,
  SENDERS_NAMED_MOST,
  type Senders,
  worstFirst,
} from '../domain/readiness.ts';
import { lookAtDuties } from '../domain/readiness-duty.ts';
import { judgePolicy } from '../domain/readiness-policy.ts';
import { proposedSupervision } from '../domain/rhythm.ts';
import type { RespondFrom } from '../domain/way-back.ts';
import { linksLead } from '../process/network.ts';
import { APPRISE_PREFIX, SIGNAL_PREFIX } from '../process/vocabulary.ts';
import { toWall } from '../process/wall-clock.ts';
import { say } from '../rpc/reader.ts';
import { type Seal, SealFault } from '../store/seal.ts';
import type { Connection } from '../store/statement.ts';
import { readOwners } from '../store/statements/member.ts';
import {
  type Concerned,
  type OwnedSource,
  readOfAccount,
  readOwnedSources,
  readPoliciesById,
  type SenderRow,
} from './statements.ts';

/** What readiness needs to know of the deployment. */
export interface Surroundings {
  /** The channels that have a carrier. */
  carriers: readonly ChannelKind[];
  /** Where links in messages lead; null if there are none. */
  publicUrl: string | null;
  /** The carriers that fail now. */
  failing: Means['failing'];
  /** Opens addresses: which carrier one belongs to stands in it. */
  seal: Seal;
  /** Tells from where people can respond over each channel. */
  respondFrom(publicUrl: string): Record<ChannelKind, RespondFrom>;
  /** `live`: sources in test are judged as if they were live. */
  judge?: 'as_they_are' | 'live';
}

/** All that was looked at. */
export interface Looked {
  at: Date;
  sources: LookedAt[];
  policies: ReadonlyMap<string, PolicyNow>;
  means: Means;
  provenAt: ProvenAt;
  /** The keys whose silence is watched. */
  supervised: readonly SenderRow[];
}

/** A source with its findings. */
export interface LookedAt {
  source: OwnedSource;
  findings: Finding[];
}

/**
 * Checks sources of an account, in the order of creation. Policies and contacts are read and judged once each, not once
 * per source: an account of 10,000 alarms has few of them.
 */
export async function lookAt(
  db: Connection,
  asked: { accountId: string; concerned: Concerned } & Surroundings,
): Promise<Looked> {
  const { accountId, concerned, carriers, publicUrl } = asked;
  const [sources, { turnedAway, senders: keys, proven: proofs }, { means: paid, at }] = await Promise.all([
    readOwnedSources(db, accountId, concerned),
    readOfAccount(db, accountId),
    readMeans(db, accountId, carriers),
  ]);
  const means = { ...paid, ...(asked.failing !== undefined && { failing: asked.failing }) };
  const bound = new Set(sources.flatMap(source => boundTo(source).flatMap(({ policyId }) => policyId ?? [])));
  const policies = await readPoliciesById(db, accountId, bound);
  const proven = new Map(proofs.map(one => [`${one.contactId}/${one.channel}`, one]));
  const provenAt: ProvenAt = (contactId, channel) => proven.get(`${contactId}/${channel}`)?.provenAt ?? null;
  const rang: Rang = (contactId, channel) => proven.get(`${contactId}/${channel}`)?.ring ?? null;
  const isUnsure = ({ address }: CopiedAddress) => isUnsureWay(asked.seal, address);
  const look = lookAtDuties(means, at.getTime());
  const judged = new Map<string, JudgedPolicy>();
  for (const [id, policy] of policies) {
    judged.set(id, judgePolicy(policy, means, at.getTime(), { provenAt, rang, isUnsure }, look));
    // Others have their turn between two policies, however many duties and people they name.
    await setImmediate();
  }
  const senders = sendersOf(keys);
  const live = asked.judge === 'live';
  const facts = (source: OwnedSource): ReadinessFacts => ({
    key: source.key,
    kind: source.kind,
    test: source.test && !live,
    testUntil: source.testUntil,
    disabled: source.disabled,
    deactivated: source.deactivated,
    armedMode: source.armedMode,
    turnedAway: turnedAway.get(source.id) ?? NONE_TURNED_AWAY,
    senders: senders(source.id),
    location: { ...source.location, test: source.location.test && !live },
    linksLead: linksLead(publicUrl),
    ...(publicUrl === null ? {} : { respondFrom: asked.respondFrom(publicUrl) }),
    modes: boundTo(source).map(({ mode, policyId }) => ({ mode, policy: judged.get(policyId ?? '') ?? null })),
  });
  const looked = sources.map(source => ({ source, findings: readinessOf(facts(source)) }));
  const supervised = keys.filter(({ supervisionS }) => supervisionS > 0);
  return { at, sources: looked, policies, means, provenAt, supervised };
}

/** One that cannot be opened is no reason to say nothing at all. */
function isUnsureWay(seal: Seal, address: string): boolean {
  try {
    const opened = seal.open(address);
    return [SIGNAL_PREFIX, APPRISE_PREFIX].some(prefix => opened.startsWith(prefix));
  } catch (error) {
    if (!(error instanceof SealFault)) throw error;
    return false;
  }
}

const NONE_TURNED_AWAY = { limited: 0, shed: 0 } as const;

/** Returns what is known of the keys that reach a source: those of the whole account, and those of it alone. */
function sendersOf(keys: readonly SenderRow[]): (sourceId: string) => Senders {
  const byAlarm = Map.groupBy(keys, ({ alarmId }) => alarmId);
  const whole = sendersIn(byAlarm.get(null) ?? []);
  return sourceId => {
    const own = byAlarm.get(sourceId);
    if (own === undefined) return whole;
    const { supervised, silent, names, proposed } = sendersIn(own);
    return {
      supervised: whole.supervised + supervised,
      silent: whole.silent + silent,
      names: [...names, ...whole.names].slice(0, SENDERS_NAMED_MOST),
      proposed: [...proposed, ...whole.proposed].slice(0, SENDERS_NAMED_MOST),
    };
  };
}

function sendersIn(keys: readonly SenderRow[]): Senders {
  const silent = keys.filter(({ silentSince }) => silentSince !== null);
  const proposed = keys.flatMap(({ id, key, label, supervisionS, now, ...rhythm }) => {
    const proposedS = supervisionS > 0 ? 0 : proposedSupervision(rhythm, now);
    return proposedS === 0 ? [] : [{ id, key, label, proposedS }];
  });
  return {
    supervised: keys.filter(({ supervisionS }) => supervisionS > 0).length,
    silent: silent.length,
    names: silent.slice(0, SENDERS_NAMED_MOST).map(({ label }) => label),
    proposed: proposed.slice(0, SENDERS_NAMED_MOST),
  };
}

function boundTo({ kind, policyId, modes }: OwnedSource) {
  if (kind === 'panic_button') return [{ mode: null, policyId }];
  return modes.map(({ id, policyId }) => ({ mode: id, policyId }));
}

/** How many findings the answer to a change holds. */
const MOST_FINDINGS = 50;

/**
 * Returns the findings of the sources that a thing concerns, worst first, at most `limit`, for the answer to a change.
 * `about` is a thing by its kind and id, or the whole account; an API key concerns none.
 */
export async function findingsFor(
  asked: Surroundings & {
    pool: Connection;
    accountId: string;
    about: { kind: ResourceKind; id: string } | 'all';
    limit?: number;
  },
): Promise<FindingInit[]> {
  const { pool, accountId, about, limit = MOST_FINDINGS, ...surroundings } = asked;
  const concerned = about === 'all' ? about : concernedBy(about.kind, about.id);
  if (concerned === 'none') return [];
  const { sources } = await lookAt(pool, { accountId, concerned, ...surroundings });
  return sources
    .flatMap(({ source, findings }) => findings.map(finding => ({ source, finding })))
    .toSorted((a, b) => worstFirst(a.finding, b.finding))
    .slice(0, limit)
    .map(({ source, finding }) => findingView(source, finding));
}

/** Returns the findings about an account itself. */
export async function findingsOfAccount(
  db: Connection,
  accountId: string,
  carriers: readonly ChannelKind[],
): Promise<FindingInit[]> {
  const found = accountFindings(await readOwners(db, accountId), carriers);
  return found.map(({ code, severity, ...why }) => ({
    code,
    severity,
    ...say().findings.ofAccount({ code, severity, ...why }),
  }));
}

function concernedBy(kind: ResourceKind, id: string): Concerned | 'none' {
  if (kind === 'api_key') return 'none';
  return { by: kind === 'alarm' || kind === 'panic_button' ? 'source' : kind, id };
}

/** Returns a finding as its message, with the ids of what to fix. */
export function findingView(source: OwnedSource, finding: Finding): FindingInit {
  const { code, severity, mode } = finding;
  const { id, key, name, kind, location } = source;
  const said = say().findings.of(shownFinding(finding), { key, kind, location });
  const bound = 'policy' in finding ? boundTo(source).find(bound => bound.mode === mode)?.policyId : null;
  return {
    code,
    severity,
    mode: mode ?? '',
    sourceId: id,
    sourceKind: kind,
    sourceName: name,
    locationId: location.id,
    locationName: location.name,
    policyId: bound ?? '',
    contactId: 'people' in finding ? (finding.people[0]?.id ?? '') : '',
    channel: 'channel' in finding ? finding.channel : '',
    ...(finding.code === 'duty_unreachable' && {
      dutyId: finding.duty.id,
      from: timestampFromMs(finding.from),
      until: timestampFromMs(finding.until),
    }),
    ...said,
  };
}

/** What ends or began at a time is said as clocks show it now. */
function shownFinding(finding: Finding): Finding {
  if ('since' in finding) return { ...finding, since: toWall(finding.since) };
  return 'at' in finding ? { ...finding, at: toWall(finding.at) } : finding;
}
