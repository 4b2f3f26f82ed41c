import { CHANNELS, type ChannelKind } from './delivery.ts';
import { isDuty, type PolicyNow } from './duty-told.ts';
import {
  askedFor,
  type ContactCopy,
  DELIVERIES_MOST,
  type PolicyCopy,
  plannedSteps,
  policyCopy,
} from './escalation.ts';
import { channelInPlan } from './plan.ts';
import { canBeProven, newestProof, type ProofAge, type ProvenAt, proofAge, type Rang, staysSilent } from './proof.ts';
import { type CopiedAddress, type Means, messagesOf, type Reach, reaches, wouldReach } from './reach.ts';
import type { ChannelTrouble, Instead, JudgedPolicy, PolicyFinding, ProofTrouble, Severity } from './readiness.ts';
import { type DutyLook, dutyFindings, lookAtDuties } from './readiness-duty.ts';

/** What is known of how people answered: when, and how it rang. */
export interface Proofs {
  provenAt: ProvenAt;
  rang: Rang;
  /** Tells whether an address, as it is copied, must never be somebody's only way. Absent: none is known to be. */
  isUnsure?(address: CopiedAddress): boolean;
}

/**
 * Judges a policy as it would run at `at` (milliseconds since 1970): its size, its steps, and each channel that it
 * names. Contacts with the same problem share one finding, so that a long policy does not repeat itself fifty times.
 * Contacts beyond what one incident plans get no message, so they do not count here either. A duty is judged by whoever is on
 * it then, and by those who come on duty in the next 14 days. `proofs` absent: they are not judged.
 * `look`: what was found out about duties for other policies of the same answer.
 */
export function judgePolicy(
  asNow: PolicyNow,
  means: Means,
  at: number,
  proofs?: Proofs,
  look: DutyLook = lookAtDuties(means, at),
): JudgedPolicy {
  const policy = { ...policyCopy({ ...asNow, repeat: 0 }, at, means), repeat: asNow.repeat };
  const planned = { ...policy, steps: plannedSteps(policy) };
  const messages = planned.steps.flatMap(({ contacts }) => contacts.flatMap(one => messagesOf(one, means, at)));
  const sent = new Set(messages.flatMap(({ channel, reach }) => (reach === 'goes' ? [channel] : [])));
  return {
    channels: CHANNELS.filter(channel => sent.has(channel)),
    // Calls carry no link.
    links: [...sent].some(channel => channel !== 'call') ? 'carried' : 'none',
    findings: [
      ...ofSize(policy),
      ...ofSteps(policy, planned, means, at),
      ...ofChannels(planned, means, at),
      ...dutyFindings(asNow, look),
      ...ofPeople(policy, asNow),
      ...(proofs === undefined ? [] : ofProofs(planned, means, at, proofs)),
    ],
  };
}

/** The console refuses such a policy; one stored before that check runs as far as the limit. */
function ofSize(policy: PolicyCopy): PolicyFinding[] {
  const { inAll } = askedFor(policy);
  if (inAll <= DELIVERIES_MOST) return [];
  return [{ code: 'escalation_capped', severity: 'warns', policy: policy.name, messages: inAll }];
}

/** Checks that each step alerts somebody; a policy of which no step does blocks. */
function ofSteps({ name, steps }: PolicyCopy, planned: PolicyCopy, means: Means, at: number): PolicyFinding[] {
  const told = planned.steps;
  const reached = told.map(({ contacts }) => contacts.filter(one => reaches(one, means, at) === 'reached').length);
  const severity: Severity = reached.some(people => people > 0) ? 'warns' : 'blocks';
  const numbers = (which: (index: number) => boolean) => steps.flatMap((_, index) => (which(index) ? [index + 1] : []));
  const empty = numbers(index => steps[index]!.contacts.length === 0);
  const unreached = numbers(index => told[index]!.contacts.length > 0 && reached[index] === 0);
  const findings: PolicyFinding[] = [];
  if (steps.length === 0 || empty.length > 0)
    findings.push({ code: 'nobody_in_step', severity, policy: name, steps: empty });
  if (unreached.length > 0) {
    const people = distinct(unreached.flatMap(number => told[number - 1]!.contacts));
    findings.push({ code: 'no_reachable_contact', severity, policy: name, steps: unreached, people });
  }
  return findings;
}

/**
 * Goes through the channels that the policy names, in the usual order: what blocks each, for whom, and what goes in its
 * place.
 */
function ofChannels({ name: policy, steps }: PolicyCopy, means: Means, at: number): PolicyFinding[] {
  const told = steps.flatMap(({ contacts }) =>
    contacts.flatMap(contact => messagesOf(contact, means, at).map(message => ({ ...message, contact }))),
  );
  const going = told.filter(({ reach }) => reach === 'goes');
  // Where another way is left, somebody is alerted by it; a push may go to a server of its receiver's own.
  const isLost = (channel: ChannelKind) => channel !== 'push' && means.failing?.has(channel);
  const severity = going.every(({ channel }) => isLost(channel)) ? 'blocks' : 'warns';
  const failing = (channel: ChannelKind): PolicyFinding[] => {
    const carrier = means.failing?.get(channel);
    const people = distinct(going.filter(one => one.channel === channel).map(({ contact }) => contact));
    if (carrier === undefined || people.length === 0) return [];
    return [{ code: 'carrier_failing', severity, policy, channel, people, ...carrier }];
  };
  return CHANNELS.flatMap(channel => {
    const named = told.filter(message => message.channel === channel && message.insteadOf === null);
    const of = (...reach: Reach[]) =>
      distinct(named.filter(one => reach.includes(one.reach)).map(({ contact }) => contact));
    const inPlace = Map.groupBy(
      told.filter(({ insteadOf }) => insteadOf === channel),
      message => message.channel,
    );
    const trouble = (code: ChannelTrouble, people: ContactCopy[]): PolicyFinding[] => {
      if (people.length === 0) return [];
      const ids = new Set(people.map(({ id }) => id));
      const instead = [...inPlace].flatMap(([channel, messages]): Instead[] => {
        const theirs = distinct(messages.map(({ contact }) => contact)).filter(({ id }) => ids.has(id));
        return theirs.length === 0 ? [] : [{ channel, people: theirs }];
      });
      return [{ code, severity: 'warns', policy, channel, people, instead }];
    };
    return [
      ...trouble('no_address_for_channel', of('no_address', 'disabled')),
      ...trouble('not_verified', of('not_verified')),
      ...trouble('plan_required', of('plan_required')),
      ...trouble('no_carrier', of('no_carrier')),
      ...failing(channel),
      ...planEnds(policy, channel, of('goes', 'no_carrier'), means),
    ];
  });
}

/** SPEC.md 8: every new account has text and call for its first 14 days. */
function planEnds(policy: string, channel: ChannelKind, people: ContactCopy[], { account }: Means): PolicyFinding[] {
  const at = account.trialEndsAt;
  if (people.length === 0 || channelInPlan(account, channel, at) === 'in_plan') return [];
  return [{ code: 'plan_ends', severity: 'notes', policy, channel, people, at }];
}

function ofPeople({ name, steps }: PolicyCopy, { steps: asNow }: PolicyNow): PolicyFinding[] {
  const [only, ...others] = distinct(steps.flatMap(step => step.contacts));
  // Whoever is on duty now is not all there is.
  if (asNow.some(({ contacts }) => contacts.some(one => isDuty(one) && one.duty.hours.length > 0))) return [];
  if (only === undefined || others.length > 0) return [];
  return [{ code: 'only_one_person', severity: 'notes', policy: name, person: only.name }];
}

/** What a proof of that age has against it; of those who were never proven, only whoever is told first counts. */
const PROOF_TROUBLE: Readonly<Record<Exclude<ProofAge, 'fresh'>, { code: ProofTrouble; severity: Severity }>> = {
  never: { code: 'never_proven', severity: 'warns' },
  stale: { code: 'proof_stale', severity: 'warns' },
  ages: { code: 'proof_ages', severity: 'notes' },
};

/**
 * DECISIONS.md "Proof of reach": a person is as proven as their newest proof over any channel by which the policy
 * reaches them.
 */
function ofProofs({ name, steps }: PolicyCopy, means: Means, at: number, proofs: Proofs): PolicyFinding[] {
  const { provenAt, rang, isUnsure = () => false } = proofs;
  const first = new Set(steps[0]?.contacts.map(({ id }) => id));
  const channels = new Map<string, ChannelKind[]>();
  for (const contact of steps.flatMap(step => step.contacts)) {
    const going = messagesOf(contact, means, at).filter(
      ({ channel, reach }) => reach === 'goes' && canBeProven(channel),
    );
    channels.set(contact.id, [...(channels.get(contact.id) ?? []), ...going.map(({ channel }) => channel)]);
  }
  const people = distinct(steps.flatMap(step => step.contacts)).filter(({ id }) => channels.get(id)!.length > 0);
  const byAge = Map.groupBy(people, ({ id }) => proofAge(newestProof(id, channels.get(id)!, provenAt), at));
  const byAges = (['never', 'stale', 'ages'] as const).flatMap((age): PolicyFinding[] => {
    const of = (byAge.get(age) ?? []).filter(({ id }) => age !== 'never' || first.has(id));
    return of.length === 0 ? [] : [{ ...PROOF_TROUBLE[age], policy: name, people: of }];
  });
  const silent = people.filter(({ id }) => staysSilent(id, channels.get(id)!, rang));
  const unsure = people.filter(one => hasUnsureWaysAlone(one, means, at, isUnsure));
  return [
    ...byAges,
    ...(silent.length === 0
      ? []
      : [{ code: 'stays_silent', severity: 'warns', policy: name, people: silent } as const]),
    ...(unsure.length === 0 ? [] : [{ code: 'unsure_way', severity: 'warns', policy: name, people: unsure } as const]),
  ];
}

/** Any other way of theirs goes in the place of one that fails, whether the policy names it or not. */
function hasUnsureWaysAlone(
  person: ContactCopy,
  means: Means,
  at: number,
  isUnsure: (address: CopiedAddress) => boolean,
): boolean {
  return person.addresses
    .filter(({ channel }) => canBeProven(channel) && wouldReach(person, channel, means, at) === 'goes')
    .every(address => address.channel === 'chat' && isUnsure(address));
}

function distinct(people: readonly ContactCopy[]): ContactCopy[] {
  return [...new Map(people.map(contact => [contact.id, contact])).values()];
}
