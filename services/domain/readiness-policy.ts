import { CHANNELS, type ChannelKind } from './delivery.ts';
import { askedFor, type ContactCopy, DELIVERIES_MOST, type PolicyCopy, plannedSteps } from './escalation.ts';
import { channelInPlan } from './plan.ts';
import { fateOf, type Means, messagesOf, reaches } from './reach.ts';
import type { JudgedPolicy, PolicyFinding, Severity } from './readiness.ts';

/**
 * Looks at a policy as it would run at `at` (milliseconds since 1970): its size, its steps, and each channel that it names.
 * Contacts with the same trouble stand in one finding, so that a long policy does not say the same thing fifty times. Who
 * stands beyond what one incident plans is told nothing: they count for nothing here either.
 */
export function judgePolicy(policy: PolicyCopy, means: Means, at: number): JudgedPolicy {
  const planned = { ...policy, steps: plannedSteps(policy) };
  const messages = planned.steps.flatMap(({ contacts }) => contacts.flatMap(one => messagesOf(one, means, at)));
  return {
    // What is spoken has no link in it.
    links: messages.some(({ channel, fate }) => fate === 'sent' && channel !== 'call') ? 'carried' : 'none',
    findings: [
      ...ofSize(policy),
      ...ofSteps(policy, planned, means, at),
      ...ofChannels(planned, means, at),
      ...ofPeople(planned),
    ],
  };
}

/** The console refuses such a policy; one that was stored before it did runs as far as it goes. */
function ofSize(policy: PolicyCopy): PolicyFinding[] {
  const { inAll } = askedFor(policy);
  if (inAll <= DELIVERIES_MOST) return [];
  return [
    {
      code: 'escalation_capped',
      severity: 'warns',
      problem: `The policy "${policy.name}" asks for ${inAll} messages in one incident: the first ${DELIVERIES_MOST} are planned, the rest is left out.`,
      fix: 'Use fewer rounds, steps, contacts or channels.',
    },
  ];
}

/** Whether a step alerts anybody; a policy of which no step does blocks. */
function ofSteps({ name, steps }: PolicyCopy, planned: PolicyCopy, means: Means, at: number): PolicyFinding[] {
  const told = planned.steps;
  const reached = told.map(({ contacts }) => contacts.filter(one => reaches(one, means, at) === 'reached').length);
  const severity: Severity = reached.some(people => people > 0) ? 'warns' : 'blocks';
  const numbers = (which: (index: number) => boolean) => steps.flatMap((_, index) => (which(index) ? [index + 1] : []));
  const empty = numbers(index => steps[index]!.contacts.length === 0);
  const unreached = numbers(index => told[index]!.contacts.length > 0 && reached[index] === 0);
  const findings: PolicyFinding[] = [];
  if (steps.length === 0 || empty.length > 0) {
    const what = steps.length === 0 ? 'has no steps' : `names nobody in ${stepsInWords(empty)}`;
    const fix = 'Name at least one contact in each step.';
    findings.push({ code: 'nobody_in_step', severity, problem: `The policy "${name}" ${what}.`, fix });
  }
  if (unreached.length > 0) {
    const people = listed(unreached.flatMap(number => told[number - 1]!.contacts));
    findings.push({
      code: 'no_reachable_contact',
      severity,
      problem: `Nobody can be reached in ${stepsInWords(unreached)} of the policy "${name}": not ${people}.`,
      fix: 'Give one of them a verified address on a channel that has a carrier and is in the plan, or name somebody else.',
    });
  }
  return findings;
}

/** A channel with the people whom the policy tells over it, each once. */
interface Use {
  channel: ChannelKind;
  people: readonly ContactCopy[];
}

/** The channels that the policy names, in the usual order: what stands in the way of each, and for whom. */
function ofChannels(policy: PolicyCopy, means: Means, at: number): PolicyFinding[] {
  const told = policy.steps.flatMap(step => step.contacts);
  return CHANNELS.flatMap(channel => {
    const people = told.filter(contact => contact.channels.includes(channel));
    const fates = Map.groupBy(people, contact => fateOf(contact, channel, means, at));
    const use = (fate: ReturnType<typeof fateOf>): Use => ({ channel, people: fates.get(fate) ?? [] });
    const covered = { channel, people: [...use('sent').people, ...use('outbox').people] };
    return [
      ...some(use('no_address'), noAddress(policy)),
      ...some(use('not_verified'), notVerified(policy)),
      ...some(use('plan_required'), planRequired(policy)),
      ...some(use('outbox'), noCarrier(policy)),
      ...some(covered, planEnds(policy, means)),
    ];
  });
}

function some(use: Use, say: (use: Use) => PolicyFinding[]): PolicyFinding[] {
  return use.people.length === 0 ? [] : say(use);
}

function noAddress({ name }: PolicyCopy) {
  return ({ channel, people }: Use): PolicyFinding[] => [
    {
      code: 'no_address_for_channel',
      severity: 'warns',
      problem: `The policy "${name}" tells ${listed(people)} by ${channel}, where there is no usable address.`,
      fix: `Add an address for ${channel}, or let the policy use another channel.`,
    },
  ];
}

function notVerified({ name }: PolicyCopy) {
  return ({ channel, people }: Use): PolicyFinding[] => {
    const commands = distinct(people).map(({ key, id }) => `tocsin contacts verify ${key ?? id} ${channel}`);
    return [
      {
        code: 'not_verified',
        severity: 'warns',
        problem: `The policy "${name}" tells ${listed(people)} by ${channel}, where nobody has shown yet that the address is theirs: no alert goes there.`,
        fix: `Send a code there, and tell it back: ${inWords(commands.slice(0, MOST_NAMES))}.`,
      },
    ];
  };
}

function planRequired({ name }: PolicyCopy) {
  return ({ channel, people }: Use): PolicyFinding[] => [
    {
      code: 'plan_required',
      severity: 'warns',
      problem: `The plan of the account does not cover ${channel}: by it the policy "${name}" tells ${listed(people)}.`,
      fix: 'Change to the paid plan, or let the policy use email.',
    },
  ];
}

function noCarrier({ name }: PolicyCopy) {
  return ({ channel, people }: Use): PolicyFinding[] => [
    {
      code: 'no_carrier',
      severity: 'warns',
      problem: `No carrier is set up for ${channel}: what the policy "${name}" sends to ${listed(people)} stays in the outbox.`,
      fix: `Set up a carrier for ${channel}, or let the policy use a channel that has one.`,
    },
  ];
}

/** SPEC.md 8: every new account has text and call for its first 14 days. */
function planEnds({ name }: PolicyCopy, { account }: Means) {
  return ({ channel, people }: Use): PolicyFinding[] => {
    if (channelInPlan(account, channel, account.trialEndsAt) === 'in_plan') return [];
    const until = new Date(account.trialEndsAt).toISOString().slice(0, 16).replace('T', ' ');
    return [
      {
        code: 'plan_ends',
        severity: 'notes',
        problem: `The plan covers ${channel} until ${until} UTC only: by it the policy "${name}" tells ${listed(people)}.`,
        fix: 'Change to the paid plan before, or let the policy use email.',
      },
    ];
  };
}

function ofPeople({ name, steps }: PolicyCopy): PolicyFinding[] {
  const [only, ...others] = distinct(steps.flatMap(step => step.contacts));
  if (only === undefined || others.length > 0) return [];
  return [
    {
      code: 'only_one_person',
      severity: 'notes',
      problem: `The policy "${name}" names nobody but ${only.name}: if they do not answer, nobody does.`,
      fix: 'Name a second person in a later step.',
    },
  ];
}

function stepsInWords(numbers: readonly number[]): string {
  return numbers.length === 1 ? `step ${numbers[0]}` : `steps ${inWords(numbers.map(String))}`;
}

/** The most names that a sentence holds. */
const MOST_NAMES = 3;

function listed(people: readonly ContactCopy[]): string {
  const names = distinct(people).map(contact => contact.name);
  if (names.length <= MOST_NAMES) return inWords(names);
  return inWords([...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} more`]);
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function distinct(people: readonly ContactCopy[]): ContactCopy[] {
  return [...new Map(people.map(contact => [contact.id, contact])).values()];
}
