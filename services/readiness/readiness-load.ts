import type { FindingInit } from '../configuration/console.ts';
import { readMeans } from '../configuration/plan-coverage.ts';
import type { ResourceKind } from '../configuration/resource.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { accountFindings, type Finding, type ReadinessFacts, readinessOf, worstFirst } from '../domain/readiness.ts';
import { judgePolicy } from '../domain/readiness-policy.ts';
import type { RespondFrom } from '../domain/way-back.ts';
import { linksLead } from '../process/network.ts';
import { toWall } from '../process/wall-clock.ts';
import { say } from '../rpc/reader.ts';
import type { Connection } from '../store/statement.ts';
import { readOwners } from '../store/statements/member.ts';
import { type Concerned, type OwnedSource, readOwnedSources, readPoliciesById, readTurnedAway } from './statements.ts';

/** What readiness needs to know of the deployment. */
export interface Surroundings {
  /** The channels that have a carrier. */
  carriers: readonly ChannelKind[];
  /** Where links in messages lead; null if there are none. */
  publicUrl: string | null;
  /** Tells from where people can respond over each channel. */
  respondFrom(publicUrl: string): Record<ChannelKind, RespondFrom>;
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
): Promise<{ at: Date; sources: LookedAt[] }> {
  const { accountId, concerned, carriers, publicUrl } = asked;
  const [sources, turnedAway, { means, at }] = await Promise.all([
    readOwnedSources(db, accountId, concerned),
    readTurnedAway(db, accountId),
    readMeans(db, accountId, carriers),
  ]);
  const bound = new Set(sources.flatMap(source => boundTo(source).flatMap(({ policyId }) => policyId ?? [])));
  const policies = await readPoliciesById(db, accountId, bound);
  const judged = new Map([...policies].map(([id, policy]) => [id, judgePolicy(policy, means, at.getTime())]));
  const facts = (source: OwnedSource): ReadinessFacts => ({
    key: source.key,
    kind: source.kind,
    test: source.test,
    disabled: source.disabled,
    deactivated: source.deactivated,
    armedMode: source.armedMode,
    turnedAway: turnedAway.get(source.id) ?? NONE_TURNED_AWAY,
    location: source.location,
    linksLead: linksLead(publicUrl),
    ...(publicUrl === null ? {} : { respondFrom: asked.respondFrom(publicUrl) }),
    modes: boundTo(source).map(({ mode, policyId }) => ({ mode, policy: judged.get(policyId ?? '') ?? null })),
  });
  return { at, sources: sources.map(source => ({ source, findings: readinessOf(facts(source)) })) };
}

const NONE_TURNED_AWAY = { limited: 0, shed: 0 } as const;

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
  const { pool, accountId, about, carriers, publicUrl, respondFrom, limit = MOST_FINDINGS } = asked;
  const concerned = about === 'all' ? about : concernedBy(about.kind, about.id);
  if (concerned === 'none') return [];
  const { sources } = await lookAt(pool, { accountId, concerned, carriers, publicUrl, respondFrom });
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
    policyId: bound ?? '',
    contactId: 'people' in finding ? (finding.people[0]?.id ?? '') : '',
    channel: 'channel' in finding ? finding.channel : '',
    ...said,
  };
}

/** What ends at a time is said as clocks show it now. */
function shownFinding(finding: Finding): Finding {
  return 'at' in finding ? { ...finding, at: toWall(finding.at) } : finding;
}
