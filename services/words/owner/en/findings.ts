import type { ChannelKind } from '../../../domain/delivery.ts';
import { DELIVERIES_MOST } from '../../../domain/escalation.ts';
import type { FirstDaysEnd } from '../../../domain/first-days.ts';
import type { AccountFinding, Finding, Instead } from '../../../domain/readiness.ts';
import { MOST_NAMES, MOST_SOURCES, minute, say, update } from '../finding-parts.ts';
import type { FindingSource, FindingWords } from '../types.ts';

/** Findings of readiness (domain/readiness.ts), and what ends with the first 14 days of an account. */
export const findings = { of: sayFinding, ofAccount: sayOfAccount, firstDaysEnd: sayFirstDaysEnd };

function sayOfAccount({ owners, mail }: AccountFinding): FindingWords {
  const carrier = mail === 'carrier' ? '' : 'Set SMTP_URL where Tocsin runs: without it nobody can be mailed. ';
  return owners === 'none'
    ? say(
        'The account has no owner who is told when an alarm reaches nobody.',
        `${carrier}Invite one, who then confirms the address: tocsin members invite you@example.com --role owner.`,
      )
    : say(
        'Nobody is told when an alarm reaches nobody: no owner has confirmed their address yet.',
        `${carrier}Open the link in the mail to the owner, or sign in with that address; to send the mail again: tocsin members invite-again <email>.`,
      );
}

function sayFinding(finding: Finding, source: FindingSource): FindingWords {
  const { mode } = finding;
  switch (finding.code) {
    case 'disabled':
      return say('It is disabled: every call answers 404 and nothing fires.', `Enable it: ${update(source)} --enable.`);
    case 'deactivated':
      return say(
        'The plan has not covered it since a downgrade: every call answers 404.',
        'Change to a plan that covers it, or delete sources that are no longer needed.',
      );
    case 'no_policy':
      return say(
        `${mode === null ? 'It' : `The mode ${mode}`} has no policy: a trigger opens an incident, but nobody is alerted.`,
        `Bind a policy that names who is alerted: ${update(source)} ${mode === null ? '--policy …' : `--mode ${mode}:policy=…`}.`,
      );
    case 'links_unreachable':
      return say(
        'The links in its messages lead to the machine that Tocsin runs on: nobody else can open them and respond.',
        'Set PUBLIC_URL where Tocsin runs to an address that phones can reach; tocsin doctor suggests some.',
      );
    case 'answers_lost':
      return say(ANSWERS_LOST[finding.from][finding.channel], OUTSIDE_URL);
    case 'in_test':
      return sayInTest(finding.switches, source);
    case 'no_away_mode':
      return say(
        'It has no mode away: a trigger without a mode answers 404 while disarmed, and a bare arm stores away.',
        `Add the mode away, with a policy: ${update(source)} --mode away:policy=….`,
      );
    case 'armed_mode_missing':
      return say(
        `It is armed in ${mode}, a mode that it no longer has: a trigger without a mode ${finding.bare === 'runs_away' ? 'runs the policy of away' : 'answers 404'}.`,
        `Arm it in a mode that it has, or add the mode again: ${update(source)} --mode ${mode}:policy=….`,
      );
    case 'calls_limited':
      return say(
        `${finding.calls === 1 ? 'One call to it was' : `${finding.calls} calls to it were`} refused (429) within the last day, because its key or the account called too often.`,
        'Find the device that calls so often, tocsin calls list --outcome limited, or give each device a key of its own.',
      );
    case 'calls_shed':
      return say(
        `${finding.calls === 1 ? 'One call to it was' : `${finding.calls} calls to it were`} refused (503) within the last day, because more came at once than the server takes.`,
        'Check whether the device sent them again, tocsin calls list --outcome shed, and tell the operator of the server.',
      );
    case 'no_location_address':
      return say(
        `Its location "${source.location.name}" has no address: the people alerted are not told where to go.`,
        `Give the location its address: tocsin locations update ${source.location.key} --address "…".`,
      );
    default:
      return sayOfPolicy(finding);
  }
}

const OUTSIDE_URL =
  'Set PUBLIC_URL where Tocsin runs to an address that the whole internet reaches, such as a name behind a proxy or a tunnel.';

/** By from where people can respond, and the channel. */
const ANSWERS_LOST: Record<'network' | 'nowhere', Record<ChannelKind, string>> = {
  network: {
    text: 'Nobody can reply to its texts, because the carrier does not reach PUBLIC_URL; their links open only in the network of that address.',
    call: 'Nobody can acknowledge on its calls, because the carrier does not reach PUBLIC_URL.',
    email: 'The links in its emails open only in the network of PUBLIC_URL: elsewhere nobody can respond.',
    push: 'The links in its push messages open only in the network of PUBLIC_URL: elsewhere nobody can respond.',
    webhook: 'The links in its webhooks open only in the network of PUBLIC_URL.',
  },
  nowhere: {
    text: 'Nobody can respond to its texts: the carrier does not reach PUBLIC_URL, and no phone opens links to it.',
    call: 'Nobody can acknowledge on its calls, because the carrier does not reach PUBLIC_URL: they only say what happened.',
    email: 'The links in its emails open only on the machine that Tocsin runs on.',
    push: 'The links in its push messages open only on the machine that Tocsin runs on.',
    webhook: 'The links in its webhooks open only on the machine that Tocsin runs on.',
  },
};

function sayInTest(switches: readonly ('source' | 'location')[], source: FindingSource): FindingWords {
  const { key, location } = source;
  const which = { source: 'its own test switch', location: `the test switch of its location "${location.name}"` };
  const off = { source: `${update(source)} --live`, location: `tocsin locations update ${location.key} --live` };
  const are = switches.map(one => which[one]).join(' and ');
  return say(
    `It is in test, because ${are} ${switches.length === 1 ? 'is' : 'are'} on: triggers are recorded and nobody is alerted.`,
    `Rehearse it, tocsin rehearse ${key}, then switch it to live: ${switches.map(one => off[one]).join(' and ')}.`,
  );
}

function sayOfPolicy(finding: Extract<Finding, { policy: string }>): FindingWords {
  const policy = `the policy "${finding.policy}"`;
  const The = `The policy "${finding.policy}"`;
  switch (finding.code) {
    case 'escalation_capped':
      return say(
        `${The} asks for ${finding.messages} messages in one incident: only the first ${DELIVERIES_MOST} are scheduled.`,
        'Use fewer rounds, steps, contacts or channels.',
      );
    case 'nobody_in_step':
      return say(
        `${The} ${finding.steps.length === 0 ? 'has no steps' : `names nobody in ${stepsInWords(finding.steps)}`}.`,
        'Name at least one contact in each step.',
      );
    case 'no_reachable_contact':
      return say(
        `Nobody can be reached in ${stepsInWords(finding.steps)} of ${policy}: ${noneOf(finding.people)}.`,
        'Give one of them a verified address on a channel that has a carrier and is in the plan, or name somebody else.',
      );
    case 'no_address_for_channel':
      return say(
        `${The} alerts ${listed(finding.people)} by ${finding.channel}, where there is no usable address.${inPlace(finding)}`,
        `Add an address for ${finding.channel}, or let the policy use another channel.`,
      );
    case 'not_verified': {
      const { channel, people } = finding;
      const commands = people.slice(0, MOST_NAMES).map(one => `tocsin contacts verify ${one.key ?? one.id} ${channel}`);
      return say(
        `${The} alerts ${listed(people)} by ${channel}, where the address is not verified: no alert goes there.${inPlace(finding)}`,
        `Send a code there and enter it: ${inWords(commands)}.`,
      );
    }
    case 'plan_required':
      return say(
        `The plan does not cover ${finding.channel}, by which ${policy} alerts ${listed(finding.people)}.${inPlace(finding)}`,
        'Change to the paid plan, or let the policy use email.',
      );
    case 'no_carrier':
      return say(
        `No carrier is set up for ${finding.channel}, by which ${policy} alerts ${listed(finding.people)}.${inPlace(finding)}`,
        `Set up a carrier for ${finding.channel}, or let the policy use a channel that has one.`,
      );
    case 'plan_ends':
      return say(
        `The plan covers ${finding.channel} until ${minute(finding.at)} UTC only; ${policy} alerts ${listed(finding.people)} by it.`,
        'Change to the paid plan before then, or let the policy use email.',
      );
    case 'only_one_person':
      return say(
        `${The} names nobody but ${finding.person}: if they do not respond, nobody does.`,
        'Name a second person in a later step.',
      );
  }
}

/** Says what ends with the first 14 days of an account. */
function sayFirstDaysEnd({ at, channels, sources, covered }: FirstDaysEnd, plan: string): FindingWords {
  const more = sources.length > MOST_SOURCES ? [`${sources.length - MOST_SOURCES} more`] : [];
  const off = [
    ...(channels.length === 0 ? [] : [`messages by ${channels.join(' and ')}`]),
    ...(sources.length === 0
      ? []
      : [
          `${[...sources.slice(0, MOST_SOURCES), ...more].join(', ')} (it covers ${covered} alarms and panic buttons together)`,
        ]),
  ];
  return say(
    `The first 14 days of the account end at ${minute(at)} UTC: then the ${plan} plan switches off ${off.join(', and ')}.`,
    `Change to the paid plan before then${sources.length === 0 ? '' : ', or disable what you need least'}.`,
  );
}

/** What goes in the place of messages that would not reach people (DECISIONS.md "Would it reach"). */
function inPlace({ instead }: { instead: readonly Instead[] }): string {
  if (instead.length === 0) return '';
  return ` Instead, the alert goes ${inWords(instead.map(({ channel, people }) => `by ${channel} to ${listed(people)}`))}.`;
}

function listed(people: readonly { name: string }[]): string {
  const names = people.map(({ name }) => name);
  if (names.length <= MOST_NAMES) return inWords(names);
  return inWords([...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} more`]);
}

function noneOf(people: readonly { name: string }[]): string {
  const [first, second] = people.map(({ name }) => name);
  if (people.length === 2) return `neither ${first} nor ${second}`;
  return people.length < 2 ? `not ${listed(people)}` : `none of ${listed(people)}`;
}

function stepsInWords(numbers: readonly number[]): string {
  return numbers.length === 1 ? `step ${numbers[0]}` : `steps ${inWords(numbers.map(String))}`;
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
