import type { NewSecret } from '../configuration/file/write.ts';
import { shownDatabase } from '../process/database-url.ts';
import { realtimeUrl } from '../process/network.ts';
import type { DataPlace } from './database.ts';
import type { Demo } from './demo.ts';

/** What is announced once the product is ready. URLs have no trailing slash. */
export interface Facts {
  process: 'standalone' | 'services';
  version: string;
  /** The URL of the facade; null if the services run apart without PUBLIC_URL. */
  http: string | null;
  rpc: string;
  /** The URL of METRICS_PORT; null if the figures are at `http` or `rpc`. */
  metrics: string | null;
  data: DataPlace;
  /** The channels that have no carrier. */
  channelsWithoutCarrier: readonly string[];
  /** The problems of carriers that do not work. */
  carrierProblems: readonly { channel: string; problem: string }[];
  /** Where others in the network may reach the facade, if links in messages work on this machine only; null if they work elsewhere. */
  reachableAt: readonly string[] | null;
  /** The demo data, only at the start that created them: afterwards nobody knows the key. */
  demo: Demo | null;
  demoEmail: 'set' | 'not_set';
  /** The line that makes a shell find `tocsin` (exportOfPath); null if it already does. */
  exportOfPath: string | null;
  /** The operator's token if it was just made. */
  consoleToken: string | null;
  /** Whether the operator chose the token (CONSOLE_TOKEN). */
  consoleTokenSetting: 'set' | 'not_set';
  /** Where the operator signs in to the console once, at a first start; null at every other. */
  signInUrl: string | null;
  /** API keys that CONFIG_FILE made just now. */
  keys?: readonly NewSecret[];
}

/**
 * Returns the line for machines: the URLs of what this process serves; the API key and the sign-in link at the first
 * start only.
 */
export function readyFacts({ process, http, rpc, metrics, demo, signInUrl }: Facts): Record<string, unknown> {
  const served = process === 'standalone' && http !== null ? { http, rpc, realtime: realtimeUrl(http) } : { rpc };
  return {
    process,
    ...served,
    ...(metrics !== null && { metrics }),
    ...(demo && { apiKey: demo.apiKey }),
    ...(signInUrl && { signInUrl }),
  };
}

/** Returns the lines for people: where everything is, what is not sent, and what to paste next. */
export function friendlyLines(facts: Facts): string {
  const parts = [
    `Tocsin ${facts.version} is ready.`,
    places(facts),
    noCarrier(facts.channelsWithoutCarrier),
    ...facts.carrierProblems.map(({ channel, problem }) => `The carrier of ${channel} does not work: ${problem}.`),
    links(facts),
    consoleSignIn(facts),
    consoleAccess(facts),
    newKeys(facts.keys ?? []),
    facts.demo === null ? laterCalls(facts) : firstCalls(facts, facts.demo),
  ];
  return `\n${parts.filter(part => part !== '').join('\n\n')}\n`;
}

function places({ process, http, rpc, metrics, data }: Facts): string {
  const facade = [`  Console  ${http}/`, `  API      ${http}/v1`, `  Docs     ${http}/docs`];
  return [
    ...(process === 'standalone' ? facade : []),
    `  RPC      ${rpc} (gRPC, gRPC-Web, Connect)`,
    ...(metrics === null ? [] : [`  Metrics  ${metrics}/metrics`]),
    `  Data     ${data.kind === 'embedded' ? data.folder : withoutLogin(data.url)}`,
  ].join('\n');
}

/** Returns the URL in the lines to paste: by default that of `npm run facade` on this machine. */
function callsTo({ http }: Facts): string {
  return http ?? 'http://localhost:8080';
}

function withoutLogin(url: string): string {
  return `database ${shownDatabase(url)}`;
}

function noCarrier(channels: readonly string[]): string {
  if (channels.length === 0) return '';
  return `No carrier is set up for ${channels.join(', ')}: such messages are kept and never sent. The console sets one up, under Operator, Carriers.`;
}

/** Says which links others can open. Cameras elsewhere in the network call the same addresses. */
function links({ http, reachableAt }: Facts): string {
  if (http === null || reachableAt === null) return '';
  const warning = `Links in messages lead to ${http}, which opens on this machine alone: nobody else can answer an alert.`;
  const [first] = reachableAt;
  if (first === undefined) return `${warning} Set PUBLIC_URL.`;
  return [
    `${warning} On your network, phones and cameras reach this machine at:`,
    '',
    ...reachableAt.map(url => `  ${url}`),
    '',
    `Set one in the console, under Operator, Deployment, or before the next start: export PUBLIC_URL=${first}`,
  ].join('\n');
}

function consoleSignIn({ signInUrl }: Facts): string {
  if (signInUrl === null) return '';
  return `Sign in to the console with this link. It works once, within 30 minutes (another one: tocsin sign-in-link):\n\n  ${signInUrl}`;
}

/** The default address of the command line, http://localhost:8081, leads here. */
const USUAL_RPC = /^http:\/\/(127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):8081$/;

/** Returns the lines to paste into a shell: where `tocsin` is, where it calls, as whom, and for which account. */
function consoleAccess({ rpc, exportOfPath, consoleToken, consoleTokenSetting, demo }: Facts): string {
  const where = [
    ...(exportOfPath === null ? [] : [exportOfPath]),
    ...(USUAL_RPC.test(rpc) ? [] : [`export TOCSIN_RPC_URL=${rpc}`]),
  ];
  const once = [
    ...(consoleToken === null ? [] : [`export TOCSIN_TOKEN=${consoleToken}`]),
    ...(demo === null ? [] : [`export TOCSIN_ACCOUNT=${demo.accountId}`]),
  ];
  if (where.length + once.length === 0) return '';
  const lines = ['For the command line (tocsin --help), in any folder:', '', ...where, ...once];
  if (consoleToken !== null) lines.push('', "The token is the operator's. It is shown only now.");
  else if (consoleTokenSetting === 'set')
    lines.push('', "The operator's token is the one in CONSOLE_TOKEN: export it as TOCSIN_TOKEN.");
  return lines.join('\n');
}

function newKeys(keys: readonly NewSecret[]): string {
  if (keys.length === 0) return '';
  const lines = keys.map(({ key, label, secret }) => `  ${label} (${key})  ${secret}`);
  return ['API keys of CONFIG_FILE, shown only now:', '', ...lines].join('\n');
}

function firstCalls(facts: Facts, demo: Demo): string {
  const http = callsTo(facts);
  const alarm = `${http}/v1/alarm/${demo.liveAlarmId}`;
  const urls = [`${alarm}/arm`, `${alarm}/trigger`, `${http}/v1/integration/state`, `${alarm}/clear`];
  const told =
    facts.demoEmail === 'set'
      ? 'it writes to the address in DEMO_EMAIL'
      : 'it would write to the address in DEMO_EMAIL, which is not set, so its email is kept and not sent';
  return [
    'Demo API key, shown only now. Paste these lines to arm, trigger, look and clear:',
    '',
    `export TOCSIN_KEY=${demo.apiKey}`,
    ...urls.map(curl),
    '',
    `That alarm is live: ${told}. Alarm ${demo.testAlarmId} and panic button ${demo.testPanicId} are in test and tell nobody.`,
  ].join('\n');
}

function laterCalls(facts: Facts): string {
  return [
    "Keys and tokens are shown once, when they are made (the demo key and the operator's token: at the first start).",
    `When one is lost: ${callsTo(facts)}/docs/operating#a-lost-token-or-key`,
    'With a key in TOCSIN_KEY, this lists what it reaches:',
    '',
    curl(`${callsTo(facts)}/v1/integration/describe`),
  ].join('\n');
}

function curl(url: string): string {
  return `curl -H "X-API-Key: $TOCSIN_KEY" ${url}`;
}
