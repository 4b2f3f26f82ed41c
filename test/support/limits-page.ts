import { LIMITS } from '../../facade/realtime/settings.ts';
import { TOLD_MOST } from '../../services/domain/duty-notice.ts';
import { DELIVERIES_MOST } from '../../services/domain/escalation.ts';
import { MOST_MAILS } from '../../services/domain/mailing.ts';
import { CODES_FROM_ADDRESS, INVITATIONS_OF_ACCOUNT, MEMBERS_MOST, SESSION } from '../../services/domain/sign-in.ts';
import { CODES_OF_ACCOUNT, UNVERIFIED_A_DAY } from '../../services/domain/verification.ts';
import type { Rate } from '../../services/limits/allowance.ts';
import * as limits from '../../services/limits/table.ts';

/** A limit as the page tells it: what is bounded, how much there is, and what whoever is over it is told. */
type Row = readonly [what: string, most: string, told: string];

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format;

const rate = ({ burst, perSecond }: Rate) => `${number(burst)} at once, then ${perSecondText(perSecond)}`;

/** A day says more than a second where it is little. */
function perSecondText(perSecond: number): string {
  return perSecond >= 10 ? `${number(perSecond)} a second` : `${number(perSecond * 86_400)} a day`;
}

const within = ({ most, withinMs }: { most: number; withinMs: number }) =>
  `${number(most)} a ${withinMs === 60_000 ? 'minute' : `${withinMs / 1_000} s`}`;

const TOO_MANY = '`429`';
const SENTENCE = 'a sentence with the number and what to do';

const CALLS: readonly Row[] = [
  ['Actions of a key', rate(limits.RATES.key.action), TOO_MANY],
  ['Reads of a key, and pages of a link in a message', rate(limits.RATES.key.read), TOO_MANY],
  ['Actions of an account with all its keys', rate(limits.RATES.account.action), TOO_MANY],
  ['Reads of an account with all its keys', rate(limits.RATES.account.read), TOO_MANY],
  ["Changes and reads of an account's console tokens and sessions", 'as much again', TOO_MANY],
  ['What lists incidents or calls', `counts as ${limits.LIST_READS} reads`, TOO_MANY],
  ['Triggers of one alarm', `${rate(limits.OF_SOURCE)}, reserved for it whatever others use`, TOO_MANY],
  [
    'Triggers of a panic button',
    'any number: each is stored and alerts at once',
    `the answer comes a second later beyond ${rate(limits.PRESSED)}`,
  ],
  [
    'Presses in the console, of one session',
    `any number, ${limits.PRESSES_MOST.session} at once; one that stores nothing counts as an action`,
    `it waits for those before it; of an account, beyond ${limits.PRESSES_MOST.waiting} at once, it is answered as accepted`,
  ],
  ['Being told `429`', rate(limits.REFUSED), 'the next one comes a second later'],
  [
    'Bad keys and tokens, guessed links and pages of these docs from one address',
    rate(limits.REFUSED),
    `the answer comes a second later; pages beyond ${limits.PAGES_MOST} that wait: \`429\``,
  ],
  ['Requests that wait on one connection', number(limits.PIPELINED_MOST), 'the connection is ended'],
  ['Unread answers of a key', `${number(limits.UNREAD_MOST.ofCaller / 1e6)} MB`, '`429` for reads until some are read'],
  ['Sockets of a key, of an account', `${LIMITS.socketsPerKey}, ${LIMITS.socketsPerAccount}`, '`429`'],
  [
    'Streams of a key or token, of an account',
    `${limits.STREAMS_MOST.caller}, ${limits.STREAMS_MOST.account}`,
    TOO_MANY,
  ],
  [
    'The whole account read (export, readiness), the days of an alarm, or incidents searched by key or contact, and sent (check, apply)',
    `${limits.WHOLE_MOST.read.atOnce} and ${limits.WHOLE_MOST.sent.atOnce} at once, ${limits.WHOLE_MOST.read.waiting} and ${limits.WHOLE_MOST.sent.waiting} wait, a ${['', '', 'half', 'third', 'quarter'][limits.SHARE_OF_TIME]} of the time`,
    'it waits; then `429`',
  ],
  ['Changes that wait', number(limits.CHANGES_WAITING_MOST), SENTENCE],
];

const THINGS: readonly Row[] = [
  ['Alarms', number(limits.THINGS_MOST.alarm), SENTENCE],
  ['Panic buttons', number(limits.THINGS_MOST.panic_button), SENTENCE],
  ['Locations, people, policies, API keys: of each', number(limits.THINGS_MOST.contact), SENTENCE],
  ['Duties', number(limits.THINGS_MOST.duty), SENTENCE],
  ['People of a duty', number(limits.PEOPLE_OF_DUTY_MOST), SENTENCE],
  ['Console tokens that are good', number(limits.THINGS_MOST.token), SENTENCE],
  ['Members', number(MEMBERS_MOST), SENTENCE],
  ['Sessions of a person', number(SESSION.most), 'the one that was unused for longest ends'],
  ['One configuration file', `${limits.FILES_MOST.megabytes} MB`, SENTENCE],
];

const KEPT: readonly Row[] = [
  [
    'What the audit keeps of changes',
    `${number(limits.KEPT.configuration.rate.burst / 1e6)} MB at once, then ${number((limits.KEPT.configuration.rate.perSecond * 86_400) / 1e6)} MB a day`,
    'the next change waits: a sentence says for how long',
  ],
  ['Calls to what is in test', rate(limits.KEPT.test.rate), TOO_MANY],
  ['Clears and disarms that end an incident', rate(limits.KEPT.closing.rate), `${TOO_MANY} for any of both`],
  ['Arms, disarms and clears', rate(limits.KEPT.other_calls.rate), TOO_MANY],
  ['Refused calls in the log', rate(limits.KEPT.refusals.rate), 'they are refused all the same, and not kept'],
  [
    'Messages planned',
    `${DELIVERIES_MOST} in one incident; ${rate(limits.KEPT.messages.rate)}`,
    `an incident plans its first ${limits.MESSAGES_LEAST.live} (in test ${limits.MESSAGES_LEAST.test}) all the same; its timeline says how many were left out, and owners are told`,
  ],
  [
    'Notices to those who come on duty',
    `${TOLD_MOST} people of one change, each once; ${number(limits.KEPT.duty_notices.rate.burst / 1e6)} MB at once, then ${number((limits.KEPT.duty_notices.rate.perSecond * 86_400) / 1e6)} MB a day`,
    'whoever is on duty is alerted all the same, and not told that it began',
  ],
  ['Live triggers', 'any number', ''],
];

const PEOPLE: readonly Row[] = [
  ['Drills', within(limits.DRILLS_MOST), SENTENCE],
  [
    'Steps, notes and hand-overs of an incident; presses that somebody cannot, each person apart',
    within(limits.MOVES_MOST),
    SENTENCE,
  ],
  ['Test messages of the operator over carriers', within(limits.CARRIER_TESTS_MOST), SENTENCE],
  ['Codes that verify an address', `${within(CODES_OF_ACCOUNT)}, to one address fewer`, SENTENCE],
  [
    'Messages to addresses that nobody verified',
    `${UNVERIFIED_A_DAY.most} a day to each, ${UNVERIFIED_A_DAY.ofAccount} of one account`,
    SENTENCE,
  ],
  ['Invitations', within(INVITATIONS_OF_ACCOUNT), SENTENCE],
  [
    'Notices of a kind to owners by mail',
    `${MOST_MAILS.most} in ${MOST_MAILS.withinS / 60} minutes`,
    'the rest is told later',
  ],
  ['Codes to sign in from one address', within(CODES_FROM_ADDRESS), SENTENCE],
];

const partOf = (use: limits.KeptUse) => `${number(limits.KEPT[use].partOfFloor * 100)} %`;

/**
 * Makes the page of the docs that says what anybody may do, from the numbers that the product goes by; facade/docs/limits.md is written
 * anew by `npm test -- test/limits/page.test.ts -u`.
 */
export function limitsPage(): string {
  return `# Limits

What one account may do, and what anybody without one. No honest caller comes near any of it. Whoever is over a limit is told so, and
when to go on; nobody else notices. \`RATE_LIMITS=off\` switches off how often and how much, for networks that you trust.

## Calls

${table(CALLS, 'Told')}

A \`429\` is \`RESOURCE_EXHAUSTED\` over RPC; both say in \`Retry-After\` after how many seconds to go on. Calls count by key and account, never
by address, so that nobody behind the same router is kept out; only without a good key an address
counts (of IPv6 a /64).

## What an account may have

${table(THINGS, 'Told')}

## What an account may store

Each account has a stock of these, which grows back all the time. At all of them together, what live triggers leave in the log aside, it grows
the database by less than 1 GB a day.

${table(KEPT, 'Told')}

\`ACCOUNT_LIMITS=3\` gives every account three times as much of this section and the one before.

## Messages to people

${table(PEOPLE, 'Told')}

How many alerts one person gets at most is said in [reaching people](people.md).

## The last of the disk

Tocsin looks every second at how much is free on the disk of its database: where Postgres is its own, or where \`DATABASE_DISK\` names a folder on
that disk. Below its floor (${limits.FLOOR.part * 100} % of the disk, at most ${limits.FLOOR.most / 1e9} GB; or \`DISK_FLOOR\`) what is left is kept for what matters most:

| Below | is no longer stored | Told |
|---|---|---|
| the floor | configuration, but for what deletes or revokes | a sentence |
| ${partOf('test')} of it | calls to what is in test | \`503\` |
| ${partOf('refusals')} | refused calls, in the log | nothing |
| ${partOf('closing')} | arms, disarms and clears; notices to those who come on duty | \`503\`; nothing |
| – | live triggers are stored to the end | |

The operator is told at the first: by the log, \`tocsin doctor\`, the console under Health, \`HEARTBEAT_URL\` and
[\`tocsin_watch_faults{fault="disk"}\`](watching.md#the-watchman). Make room on the disk, and all of it is taken again within a second.
`;
}

function table(rows: readonly Row[], told: string): string {
  return [
    '| What | How much | ',
    `${told} |\n|---|---|---|\n`,
    rows.map(row => `| ${row.join(' | ')} |`).join('\n'),
  ].join('');
}
