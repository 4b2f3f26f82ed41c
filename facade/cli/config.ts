import { type Environment, type Kind, readSetting, schemaOf, webUrl } from '../../services/process/settings.ts';

/** Where the command line connects, and as whom. */
export interface Connection {
  /** The RPC port, without trailing slash. */
  rpcUrl: string;
  /** A console token or the secret of a session; null if none was given. Never printed. */
  token: string | null;
  /** The account that the operator names; null with an account's own token. */
  account: string | null;
}

/** The flags of every command; each takes precedence over the environment. */
export interface ConnectionFlags {
  rpcUrl?: string;
  token?: string;
  account?: string;
}

const DEFAULT_RPC_URL = 'http://localhost:8081';

/** The only reader of the command line's environment. Throws ConfigError for an unusable setting. */
export function readConnection(env: Environment, flags: ConnectionFlags): Connection {
  return {
    rpcUrl: flag('--rpc-url', flags.rpcUrl, webUrl) ?? rpcUrlFrom(env),
    token: flag('--token', flags.token, token) ?? readSetting(env, 'TOCSIN_TOKEN', token, null),
    account: flag('--account', flags.account, account) ?? readSetting(env, 'TOCSIN_ACCOUNT', account, null),
  };
}

/** Whether output may be coloured, by NO_COLOR and TERM. Whether it is a terminal is checked elsewhere. */
export function colourWish(env: Environment): 'allowed' | 'unwanted' {
  return env.NO_COLOR || env.TERM === 'dumb' ? 'unwanted' : 'allowed';
}

/** Returns a variable that a configuration file refers to as `env:NAME`; null if it is not set. */
export function variable(env: Environment, name: string): string | null {
  return env[name] || null;
}

/** The passphrase of backups, as `tocsin backup` has it; null if it is not set. Throws ConfigError for one that is too short. */
export function readBackupPassphrase(env: Environment): string | null {
  return readSetting(env, 'BACKUP_PASSPHRASE', passphrase, null);
}

function rpcUrlFrom(env: Environment): string {
  const own = readSetting(env, 'TOCSIN_RPC_URL', webUrl, null);
  // RPC_URL is the facade's list of services; the command line uses the first.
  return own ?? readSetting(env, 'RPC_URL', firstUrl, DEFAULT_RPC_URL);
}

function flag<T>(name: string, text: string | undefined, kind: Kind<T>): T | null {
  return text === undefined ? null : readSetting({ [name]: text }, name, kind, null);
}

const firstUrl: Kind<string> = {
  takes: `${webUrl.takes}, or several separated by commas`,
  schema: { safeParse: text => webUrl.schema.safeParse(text.split(',')[0] ?? '') },
  shown: 'url',
};

const token: Kind<string> = {
  takes: 'a console token (tcn_…) or a session (tcs_…), printable characters without spaces',
  schema: schemaOf(text => (/^[\x21-\x7e]{1,200}$/.test(text) ? text : null)),
  shown: 'length',
};

const passphrase: Kind<string> = {
  takes: 'at least 12 characters',
  schema: schemaOf(text => (text.length >= 12 ? text : null)),
  shown: 'length',
};

const account: Kind<string> = {
  takes: 'the id of an account, 32 lower-case letters and digits (tocsin accounts list)',
  schema: schemaOf(text => (/^[a-z0-9]{32}$/.test(text) ? text : null)),
  shown: 'value',
};
