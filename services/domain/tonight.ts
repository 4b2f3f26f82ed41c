import type { ChannelKind } from './delivery.ts';
import type { PolicyNow } from './duty-told.ts';
import type { ModeId } from './mode.ts';
import { preview } from './preview.ts';
import { canBeProven, type ProofAge, type ProvenAt, proofAge } from './proof.ts';
import type { FailingCarrier, Means } from './reach.ts';
import type { Finding } from './readiness.ts';
import { type Environment, environment, type SourceKind } from './source.ts';

/*
 * How tonight would go, said from what is configured now (DECISIONS.md "Tonight"): who would be told, when each of them was proven, which
 * sender is silent, what is in the way.
 */

/** A source as it stands. */
export interface TonightSource {
  id: string;
  name: string;
  kind: SourceKind;
  test: boolean;
  /** Off, by its owner or its plan. */
  off: boolean;
  armedMode: ModeId | null;
  /** Of a panic button. */
  policyId: string | null;
  modes: readonly { id: ModeId; policyId: string | null; windowS: number }[];
  location: { id: string; name: string; test: boolean };
  /** What readiness found. */
  findings: readonly Pick<Finding, 'code' | 'severity' | 'mode'>[];
}

/** What is known besides the sources. */
export interface TonightOn {
  /** When: milliseconds since 1970. */
  at: number;
  policies: ReadonlyMap<string, PolicyNow>;
  means: Means;
  provenAt: ProvenAt;
  /** The supervised senders. */
  senders: readonly Sender[];
}

/** A key whose sender is expected to call. */
export interface Sender {
  keyId: string;
  label: string;
  /** Since when it is silent, milliseconds since 1970; null: it is alive. */
  silentSince: number | null;
}

/** Why a mode counts: it is the armed one; it would be if it were armed now; panic buttons need none. */
export type Standing = 'armed' | 'if_armed' | 'always';

/** Sources of one location that would do the same. */
export interface TonightLine {
  mode: ModeId | null;
  standing: Standing;
  environment: Environment;
  sources: { id: string; name: string }[];
  /** Empty: none is bound. */
  policyName: string;
  windowS: number;
  /** In the order in which they are told, each once. Empty: nobody is. */
  people: readonly TonightPerson[];
}

/** Somebody who would be told. */
export interface TonightPerson {
  contactId: string;
  name: string;
  /** Seconds after the trigger, the window included. */
  afterS: number;
  channels: { channel: ChannelKind; provenAt: number | null }[];
  /** The duty for which they are told, and until when they are on it, milliseconds since 1970 or for good; null: they are named themselves. */
  onDuty: { duty: string; until: number | null } | null;
  /** By the newest proof of these channels; `cannot`: nobody answers over any of them. */
  proof: ProofAge | 'cannot';
}

export interface TonightPlace {
  locationId: string;
  name: string;
  lines: TonightLine[];
}

/**
 * The verdict. `nothing`: there is no source that is on. `in_test`: none is live. `blocked`: something live would alert nobody. `doubtful`:
 * something live depends on somebody who is not proven, a sender is silent, or a warning stands. `fine`: none of that.
 */
export type TonightVerdict = 'nothing' | 'in_test' | 'blocked' | 'doubtful' | 'fine';

/** Why it is not fine: the first that holds. */
export type TonightReason =
  | 'nobody_told'
  | 'finding_blocks'
  | 'carrier_failing'
  | 'silent_sender'
  | 'not_proven'
  | 'finding_warns';

export interface Tonight {
  verdict: TonightVerdict;
  /** Null where the verdict says it all. */
  reason: TonightReason | null;
  places: TonightPlace[];
  senders: readonly Sender[];
  /** The carriers of what is live that fail. */
  failing: ({ channel: ChannelKind } & FailingCarrier)[];
}

/** The mode that an alarm would be armed in for the night, if it is not armed: the first of these that it has. */
const FOR_THE_NIGHT: readonly ModeId[] = ['night', 'away', 'home', 'vacation'];

/** Returns how it would go at a time. Sources that are off are left out. */
export function tonight(sources: readonly TonightSource[], on: TonightOn): Tonight {
  const counted = sources.filter(({ off }) => !off);
  const peopleOf = createPeopleOf(on);
  const places = [...Map.groupBy(counted, ({ location }) => location.id)].map(([locationId, here]) => ({
    locationId,
    name: here[0]!.location.name,
    lines: linesOf(here, on, peopleOf),
  }));
  const failing = failingOf(places, on);
  return { ...judged(counted, places, failing, on), places, senders: on.senders, failing };
}

function linesOf(
  sources: readonly TonightSource[],
  { policies }: TonightOn,
  peopleOf: ReturnType<typeof createPeopleOf>,
): TonightLine[] {
  const alike = Map.groupBy(sources, source => JSON.stringify(planOf(source)));
  return [...alike.values()].map(same => {
    const { policyId, ...plan } = planOf(same[0]!);
    return {
      ...plan,
      sources: same.map(({ id, name }) => ({ id, name })),
      policyName: policies.get(policyId ?? '')?.name ?? '',
      people: peopleOf(policyId, plan.windowS),
    };
  });
}

/** What a trigger of a source would go by. */
function planOf(source: Omit<TonightSource, 'findings'>) {
  const runs = environment(source.test, source.location.test);
  if (source.kind === 'panic_button') {
    return { mode: null, standing: 'always', environment: runs, windowS: 0, policyId: source.policyId } as const;
  }
  const has = (id: ModeId) => source.modes.find(mode => mode.id === id);
  const armed = source.armedMode;
  const mode = armed ?? FOR_THE_NIGHT.find(has) ?? null;
  const { windowS, policyId } = (mode === null ? undefined : has(mode)) ?? { windowS: 0, policyId: null };
  const standing: Standing = armed === null ? 'if_armed' : 'armed';
  return { mode, standing, environment: runs, windowS, policyId };
}

/** Returns what finds people, once for each policy and window: ten thousand alarms have few of them, and share the list. */
function createPeopleOf(on: TonightOn) {
  const found = new Map<string, readonly TonightPerson[]>();
  return (policyId: string | null, windowS: number): readonly TonightPerson[] => {
    const name = `${policyId}/${windowS}`;
    const policy = on.policies.get(policyId ?? '');
    const people = found.get(name) ?? (policy === undefined ? [] : peopleOf(policy, windowS, on));
    found.set(name, people);
    return people;
  };
}

/** Whoever would get a message in the first round, with all channels over which they would. */
function peopleOf(policy: PolicyNow, windowS: number, { at, means, provenAt }: TonightOn): TonightPerson[] {
  const { deliveries } = preview({ policy, at, windowS, environment: 'live' }, means);
  const goes = deliveries.filter(({ round, outcome }) => round === 0 && outcome === 'sent');
  return [...Map.groupBy(goes, ({ contactId }) => contactId)].map(([contactId, told]) => {
    const channels = [...new Set(told.map(({ channel }) => channel))].map(channel => ({
      channel,
      provenAt: canBeProven(channel) ? provenAt(contactId, channel) : null,
    }));
    const { contactName: name, afterS, onDuty } = told[0]!;
    const as = onDuty === undefined ? null : { duty: onDuty.duty, until: onDuty.until };
    return { contactId, name, afterS, channels, onDuty: as, proof: proofOf(channels, at) };
  });
}

function proofOf(channels: TonightPerson['channels'], at: number): TonightPerson['proof'] {
  if (!channels.some(({ channel }) => canBeProven(channel))) return 'cannot';
  const proofs = channels.flatMap(({ provenAt }) => provenAt ?? []);
  return proofAge(proofs.length === 0 ? null : Math.max(...proofs), at);
}

function failingOf(places: readonly TonightPlace[], { means: { failing } }: TonightOn): Tonight['failing'] {
  const live = places.flatMap(({ lines }) => lines).filter(line => line.environment === 'live');
  const used = new Set(
    live.flatMap(({ people }) => people).flatMap(({ channels }) => channels.map(one => one.channel)),
  );
  return [...(failing ?? [])].flatMap(([channel, carrier]) => (used.has(channel) ? [{ channel, ...carrier }] : []));
}

function judged(
  sources: readonly TonightSource[],
  places: readonly TonightPlace[],
  failing: Tonight['failing'],
  { senders }: TonightOn,
): Pick<Tonight, 'verdict' | 'reason'> {
  if (sources.length === 0) return { verdict: 'nothing', reason: null };
  const live = sources.filter(({ test, location }) => environment(test, location.test) === 'live');
  if (live.length === 0) return { verdict: 'in_test', reason: null };
  const lines = places.flatMap(place => place.lines).filter(line => line.environment === 'live');
  if (lines.some(({ people }) => people.length === 0)) return { verdict: 'blocked', reason: 'nobody_told' };
  const worst = new Set(live.flatMap(source => concerning(source).map(({ severity }) => severity)));
  if (worst.has('blocks')) return { verdict: 'blocked', reason: 'finding_blocks' };
  if (failing.length > 0) return { verdict: 'doubtful', reason: 'carrier_failing' };
  if (senders.some(({ silentSince }) => silentSince !== null)) return { verdict: 'doubtful', reason: 'silent_sender' };
  if (lines.some(({ people }) => isDoubtful(people))) return { verdict: 'doubtful', reason: 'not_proven' };
  if (worst.has('warns')) return { verdict: 'doubtful', reason: 'finding_warns' };
  return { verdict: 'fine', reason: null };
}

/** The findings of a source that concern tonight: those about it as a whole, and about the mode that counts. */
export function concerning<Found extends Pick<Finding, 'severity' | 'mode'>>(
  source: Omit<TonightSource, 'findings'> & { findings: readonly Found[] },
): Found[] {
  const { mode } = planOf(source);
  return source.findings.filter(found => found.severity !== 'notes' && (found.mode === null || found.mode === mode));
}

/** Whoever is told first is who the night depends on. */
function isDoubtful(people: readonly TonightPerson[]): boolean {
  const first = people.filter(({ afterS }) => afterS === people[0]!.afterS);
  return first.every(({ proof }) => proof === 'never' || proof === 'stale');
}

/** What a sentence about tonight says: of what is live, and of senders. */
export interface TonightSummary extends Pick<Tonight, 'verdict' | 'reason'> {
  /** Those who are told, and in which locations. */
  plans: { places: string[]; people: readonly TonightPerson[] }[];
  /** A source that would tell nobody; null: there is none. */
  nobody: { source: string; mode: ModeId | null } | null;
  /** Whoever is told and not proven within 45 days, each once. */
  notFresh: TonightPerson[];
  /** How many are proven, and in how many days all of them were; null: nobody is. */
  fresh: { people: number; days: number } | null;
  senders: { all: number; silent: readonly Sender[] };
  /** The carriers that fail. */
  failing: Tonight['failing'];
  /** What is in test: how many sources, and the name of one. */
  inTest: { sources: number; one: string };
}

const DAY_MS = 86_400_000;

/** Returns what to say of tonight. `at`: the time of the answer, milliseconds since 1970. */
export function summaryOf({ verdict, reason, places, senders, failing }: Tonight, at: number): TonightSummary {
  const lines = places.flatMap(({ name, lines }) =>
    lines.filter(line => line.environment === 'live').map(line => ({ place: name, ...line })),
  );
  const testing = places
    .flatMap(place => place.lines)
    .filter(line => line.environment === 'test')
    .flatMap(line => line.sources);
  const told = lines.filter(({ people }) => people.length > 0);
  const lists = [...Map.groupBy(told, ({ people }) => people)];
  const plans = [...Map.groupBy(lists, ([people]) => JSON.stringify(people)).values()].map(same => ({
    places: [...new Set(same.flatMap(([, alike]) => alike.map(({ place }) => place)))],
    people: same[0]![0],
  }));
  const everybody = [...new Map(lists.flatMap(([people]) => people).map(one => [one.contactId, one])).values()];
  const fresh = everybody.filter(({ proof }) => proof === 'fresh');
  const newest = fresh.map(({ channels }) => Math.max(...channels.flatMap(({ provenAt }) => provenAt ?? [])));
  const nobody = lines.find(({ people }) => people.length === 0);
  return {
    verdict,
    reason,
    plans,
    nobody: nobody === undefined ? null : { source: nobody.sources[0]!.name, mode: nobody.mode },
    notFresh: everybody.filter(({ proof }) => proof !== 'fresh' && proof !== 'cannot'),
    fresh:
      fresh.length === 0
        ? null
        : { people: fresh.length, days: Math.max(1, Math.ceil((at - Math.min(...newest)) / DAY_MS)) },
    inTest: { sources: testing.length, one: testing[0]?.name ?? '' },
    failing,
    senders: { all: senders.length, silent: senders.filter(({ silentSince }) => silentSince !== null) },
  };
}
