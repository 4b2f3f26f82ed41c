import { Code, ConnectError } from '@connectrpc/connect';
import { CommanderError } from 'commander';
import { InUseSchema, InvalidFieldsSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import { ConfigError } from '../../services/process/settings.ts';
import { clean } from '../../services/process/text.ts';
import { CliFault, EXIT, type ExitCode } from './exit.ts';
import { nameField } from './fields.ts';
import { requestOf } from './rpc.ts';
import { count } from './text.ts';

/** Why a command ended, for people, and with --json for programs. */
export interface Explanation {
  exit: ExitCode;
  /** The Connect code such as `not_found`, or `usage`, `refused` or `interrupted`. */
  code: string;
  /** The complete sentence. */
  message: string;
  /** What is wrong with which field, if the services said so. */
  problems: readonly { field: string; flag: string; problem: string }[];
  /** What still uses the thing, if that is why it was refused. */
  users: readonly { kind: string; id: string; key: string; name: string }[];
  /** How many use it in all. */
  usersTotal: number;
}

const EXIT_OF_CODE: Partial<Record<Code, ExitCode>> = {
  [Code.InvalidArgument]: EXIT.usage,
  [Code.OutOfRange]: EXIT.usage,
  [Code.NotFound]: EXIT.notFound,
  [Code.Unauthenticated]: EXIT.notAllowed,
  [Code.PermissionDenied]: EXIT.notAllowed,
  [Code.Aborted]: EXIT.conflict,
  [Code.AlreadyExists]: EXIT.conflict,
  [Code.FailedPrecondition]: EXIT.conflict,
  [Code.Unavailable]: EXIT.unreachable,
  [Code.DeadlineExceeded]: EXIT.unreachable,
};

/** The --json code of an end that the command line itself caused. */
const WORDS: Partial<Record<ExitCode, string>> = {
  [EXIT.usage]: 'usage',
  [EXIT.notFound]: 'not_found',
  [EXIT.unreachable]: 'unavailable',
  [EXIT.interrupted]: 'interrupted',
};

/** What to do about a code, where the services' own sentence cannot know the command line. */
const ADVICE: Partial<Record<Code, string>> = {
  [Code.Unauthenticated]:
    'Set TOCSIN_TOKEN to a console token (tcn_…; the first start of Tocsin prints one), or pass --token.',
  [Code.PermissionDenied]: "This needs the operator's token (TOCSIN_TOKEN).",
};

/** Explains whatever ended a command. `rpcUrl`: the address it called, null before that is known. */
export function explain(thrown: unknown, rpcUrl: string | null, signal: AbortSignal): Explanation {
  if (thrown instanceof CliFault) {
    return plain(thrown.exit, WORDS[thrown.exit] ?? 'refused', thrown.message);
  }
  if (signal.aborted) return plain(EXIT.interrupted, 'interrupted', 'Interrupted.');
  if (thrown instanceof ConfigError) return plain(EXIT.usage, 'usage', thrown.message);
  if (thrown instanceof CommanderError) return plain(EXIT.usage, 'usage', wrongUsage(thrown));
  if (thrown instanceof ConnectError) return explainRpc(thrown, rpcUrl);
  throw thrown;
}

/** Returns the lines for people: the sentence, then each field and each user on a separate line. */
export function explanationLines({ message, problems, users, usersTotal }: Explanation): string[] {
  const rest = usersTotal - users.length;
  return [
    // The message repeats the problems, for clients that read no details.
    problems.length > 0 ? 'Invalid input:' : clean(message),
    ...problems.map(({ flag, field, problem }) => `  ${[flag || field, clean(problem)].filter(Boolean).join(' ')}`),
    ...users.map(({ kind, id, key, name }) => `  ${kind.replace('_', ' ')} ${clean(name)} (${clean(key) || id})`),
    ...(users.length > 0 && rest > 0 ? [`  and ${count(rest, 'more', 'more')}`] : []),
  ];
}

/** Commander's own words; for a bare group of commands it prints help and gives no message. */
function wrongUsage({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing: add one of those that --help lists.';
  return endSentence(message.replace(/^error: /, '').replaceAll('\n', ' '));
}

function plain(exit: ExitCode, code: string, message: string): Explanation {
  return { exit, code, message, problems: [], users: [], usersTotal: 0 };
}

function explainRpc(error: ConnectError, rpcUrl: string | null): Explanation {
  const request = requestOf(error);
  const invalid = error.findDetails(InvalidFieldsSchema).flatMap(({ fields }) => fields);
  const inUse = error.findDetails(InUseSchema);
  const exit = tlsRefused(error, rpcUrl) ? EXIT.unreachable : (EXIT_OF_CODE[error.code] ?? EXIT.refused);
  return {
    ...plain(exit, codeWord(error.code), sentence(error, rpcUrl)),
    problems: invalid.map(({ field, problem }) => ({ field, flag: nameField(field, request), problem })),
    users: inUse.flatMap(({ users }) => users.map(({ kind, id, key, name }) => ({ kind, id, key, name }))),
    usersTotal: inUse.reduce((sum, { total }) => sum + total, 0),
  };
}

function sentence(error: ConnectError, rpcUrl: string | null): string {
  const said = endSentence(error.rawMessage);
  if (tlsRefused(error, rpcUrl))
    return `${rpcUrl} does not speak TLS, as the RPC port never does: name it with http://.`;
  if (error.code === Code.DeadlineExceeded) return said === '' ? `${rpcUrl} did not answer in time. Try again.` : said;
  if (error.code === Code.Unavailable) return unavailable(said, rpcUrl);
  if (error.code === Code.Unimplemented) {
    const advice =
      'Is it the RPC port (RPC_PORT, 8081), not the one of the API, and is that Tocsin as new as this command line?';
    return `${rpcUrl} does not know this call. ${advice}`;
  }
  return [said, ADVICE[error.code] ?? ''].filter(part => part !== '').join(' ');
}

/** Tells whether https was used on a port that speaks http: Node then reports an answer of the wrong kind. */
function tlsRefused({ rawMessage }: ConnectError, rpcUrl: string | null): boolean {
  return (
    rpcUrl?.startsWith('https:') === true && /\bEPROTO\b|wrong version number|packet length too long/.test(rawMessage)
  );
}

/** Returns Node's words for a connection that failed; otherwise the services' own. */
function unavailable(said: string, rpcUrl: string | null): string {
  const system = /\b(E[A-Z]{4,}|getaddrinfo|socket hang up)\b/.exec(said)?.[0];
  if (said !== '' && system === undefined) return `${said} Try again in a moment.`;
  const advice = 'Start it (npm start), or name its RPC port by TOCSIN_RPC_URL or --rpc-url.';
  return `Tocsin cannot be reached at ${rpcUrl}${system === undefined ? '' : ` (${system})`}. ${advice}`;
}

function endSentence(text: string): string {
  return text === '' || /[.!?)]$/.test(text) ? text : `${text}.`;
}

/** Formats `FailedPrecondition` as `failed_precondition`, like the Connect protocol. */
function codeWord(code: Code): string {
  return (Code[code] ?? 'unknown').replace(/(?<=[a-z])[A-Z]/g, letter => `_${letter}`).toLowerCase();
}
