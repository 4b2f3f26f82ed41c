import { CHANNELS, type ChannelKind } from './delivery.ts';
import { askedFor, type ContactCopy, DELIVERIES_MOST, type PolicyCopy, plannedSteps } from './escalation.ts';
import { channelInPlan } from './plan.ts';
import { type Means, messagesOf, type Reach, reaches } from './reach.ts';
import type { ChannelTrouble, Instead, JudgedPolicy, PolicyFinding, Severity } from './readiness.ts';

/**
 * Judges a policy as it would run at `at` (milliseconds since 1970): its size, its steps, and each channel that it
 * names. Contacts with the same problem share one finding, so that a long policy does not repeat itself fifty times.
 * Contacts beyond what one incident plans get no message, so they do not count here either.
 */
export function judgePolicy(policy: PolicyCopy, means: Means, at: number): JudgedPolicy {
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
      ...ofPeople(planned),
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

function ofPeople({ name, steps }: PolicyCopy): PolicyFinding[] {
  const [only, ...others] = distinct(steps.flatMap(step => step.contacts));
  if (only === undefined || others.length > 0) return [];
  return [{ code: 'only_one_person', severity: 'notes', policy: name, person: only.name }];
}

function distinct(people: readonly ContactCopy[]): ContactCopy[] {
  return [...new Map(people.map(contact => [contact.id, contact])).values()];
}
