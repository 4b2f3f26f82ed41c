import type { Logger } from 'pino';
import { ConfigError, type Environment } from '../process/settings.ts';
import type { MadeSetting, OwnSettings } from './carrier.ts';
import { CARRIERS, type CarrierSettings } from './carriers.ts';
import { type Channels, createChannels, MissingCarrier, unnamedFault } from './channels.ts';
import type { CarriersSetUp, SettingValues, StoredCarrier } from './described.ts';

/** What carriers are set up from. */
export interface SetUpOn {
  /** What stands in the environment, of which the same carriers may not be stored (carrierEnvironment). */
  env: Environment;
  /** What that comes to. */
  base: Omit<CarrierSettings, MadeSetting>;
  /** What is made of DATA_KEY. */
  made: Omit<OwnSettings, 'outboundNetworks'>;
  /** Whether what is stored counts. */
  taken: CarriersSetUp['taken'];
  log: Logger;
}

/** Channels, and what they were opened by. */
export interface Opening {
  channels: Channels;
  settings: CarrierSettings;
  /** What is stored for the carriers that are open. */
  used: readonly Candidate[];
  /** Why what is stored for some is left out, or who is missing in an order, by carrier. */
  leftOut: ReadonlyMap<string, string>;
}

/** How channels are opened by the environment and by what is stored. */
export interface Opener {
  /**
   * Opens them. A carrier whose stored settings cannot be used goes on with those of `before`, or is left out. Throws ConfigError
   * for what stands in the environment.
   */
  open(stored: readonly StoredCarrier[], before?: readonly Candidate[]): Opening;
  /** Returns what is wrong with settings of a carrier beside those of others; null: it opens with them. */
  faultOf(candidate: Candidate, others: readonly Candidate[]): string | null;
  /** Reads what is stored for a carrier, beside what is stored for the others, with which it may share settings. */
  read(candidate: Candidate, others: readonly StoredCarrier[]): { own: unknown } | { problem: string };
  inEnvironment: CarriersSetUp['inEnvironment'];
}

/** What is stored for a carrier, or may be, and can be read. */
export type Candidate = StoredCarrier & { values: SettingValues };

type Listed = (typeof CARRIERS)[number];

/** Prepares it. */
export function createOpener(on: SetUpOn): Opener {
  const { env, base, made, log } = on;

  function open(stored: readonly StoredCarrier[], before: readonly Candidate[] = []): Opening {
    const leftOut = new Map<string, string>();
    const foreign = stored.filter(({ name }) => !isInEnvironment(name));
    const readable = foreign.filter((one): one is Candidate => {
      const problem = unreadable(one, foreign);
      if (problem !== null) leftOut.set(one.name, problem);
      return problem === null;
    });
    let opened = openedBy(readable);
    const inTurn = 'fault' in opened ? oneByOne(readable, leftOut) : readable;
    const used = [...inTurn, ...kept(before, [...leftOut.keys()], inTurn)];
    if ('fault' in opened || used.length !== readable.length) {
      discard(opened);
      opened = openedBy(used);
    }
    if ('fault' in opened) throw opened.fault;
    for (const { carrier, message } of opened.missing) if (!leftOut.has(carrier)) leftOut.set(carrier, message);
    return { channels: opened.channels, settings: opened.settings, used, leftOut };
  }

  /** Adds one after the other, so that only those are left out with which the channels do not open. */
  function oneByOne(readable: readonly Candidate[], leftOut: Map<string, string>): Candidate[] {
    const used: Candidate[] = [];
    for (const one of readable) {
      const problem = faultOf(one, used);
      if (problem === null) used.push(one);
      else leftOut.set(one.name, problem);
    }
    return used;
  }

  /** Returns what of before still opens for those that are left out. */
  function kept(before: readonly Candidate[], names: readonly string[], beside: readonly Candidate[]): Candidate[] {
    const found: Candidate[] = [];
    for (const one of before) {
      if (names.includes(one.name) && faultOf(one, [...beside, ...found]) === null) found.push(one);
    }
    return found;
  }

  function unreadable(one: StoredCarrier, all: readonly StoredCarrier[]): string | null {
    if (!CARRIERS.some(({ name }) => name === one.name)) return 'this version of Tocsin has no such carrier';
    if (one.values === null) return 'what is stored cannot be opened with this DATA_KEY';
    const read = readOne({ ...one, values: one.values }, all);
    return 'problem' in read ? read.problem : null;
  }

  /** Opens the channels by settings that read well. An order that counts on a carrier which is not there goes on without it. */
  function openedBy(used: readonly Candidate[]) {
    const own = used.map(one => [one.name, ownOf(one, used)] as const);
    const order = { ...base.order };
    const missing: MissingCarrier[] = [];
    const settings = { ...base, ...Object.fromEntries(own), ...made, order } as CarrierSettings;
    for (;;) {
      try {
        return { channels: createChannels(settings, log), settings, missing };
      } catch (fault) {
        if (!(fault instanceof MissingCarrier) || !couldBeStored(fault.carrier)) return { fault };
        missing.push(fault);
        order[fault.kind] = order[fault.kind]!.filter(name => name !== fault.carrier);
      }
    }
  }

  function ownOf(one: Candidate, all: readonly StoredCarrier[]): unknown {
    const read = readOne(one, all);
    return 'own' in read ? read.own : null;
  }

  function couldBeStored(name: string): boolean {
    return on.taken === 'taken' && !isInEnvironment(name);
  }

  function faultOf(candidate: Candidate, others: readonly Candidate[]): string | null {
    const all = [...others.filter(({ name }) => name !== candidate.name), candidate];
    const read = readOne(candidate, all);
    if ('problem' in read) return read.problem;
    const opened = openedBy(all);
    discard(opened);
    if (!('fault' in opened)) return null;
    const opens = (values: SettingValues) => {
      const one = { ...candidate, values };
      const oneRead = readOne(one, all);
      if ('problem' in oneRead) throw new ConfigError(oneRead.problem);
      const other = openedBy([...all.slice(0, -1), one]);
      if ('fault' in other) throw other.fault;
      discard(other);
    };
    return sentence(opened.fault, candidate.values, opens);
  }

  function readOne({ name, values }: Candidate, all: readonly StoredCarrier[]): { own: unknown } | { problem: string } {
    const carrier = CARRIERS.find(one => one.name === name)!;
    const others = all.filter(one => one.name !== name && !isInEnvironment(one.name));
    const read = (own: SettingValues) => readBeside(carrier, own, others);
    try {
      return { own: read(values) };
    } catch (fault) {
      return { problem: sentence(fault, values, read) };
    }
  }

  function readBeside(carrier: Listed, values: SettingValues, others: readonly StoredCarrier[]): unknown {
    const missing = carrier.settings.find(({ name, asked }) => asked === 'needed' && !values[name]);
    if (missing !== undefined) throw new ConfigError(`${missing.name} is missing.`);
    const own = carrier.read(Object.assign({}, ...others.map(one => one.values), values, env));
    const fault = unnamedFault(carrier, base.order);
    if (fault !== null) throw fault;
    return own;
  }

  function inEnvironment(name: string): Record<string, string | null> {
    const own = CARRIERS.find(carrier => carrier.name === name)?.settings ?? [];
    return Object.fromEntries(
      own.flatMap(setting => {
        const [text, file] = [env[setting.name], env[`${setting.name}_FILE`]];
        return text || file ? [[setting.name, text || null] as const] : [];
      }),
    );
  }

  function isInEnvironment(name: string): boolean {
    return Object.keys(inEnvironment(name)).length > 0;
  }

  return { open, faultOf, read: readOne, inEnvironment };
}

/** Closes what was opened only to try whether it opens. */
function discard(opened: { channels: Channels } | { fault: unknown }): void {
  if ('channels' in opened) void opened.channels.close().catch(() => {});
}

/**
 * Says what is wrong with settings in a sentence that begins with the name of one. What is no ConfigError may quote a secret, so that
 * the setting is found by trying without it.
 */
function sentence(fault: unknown, values: SettingValues, attempt: (values: SettingValues) => unknown): string {
  if (fault instanceof ConfigError) return fault.message;
  const without = Object.keys(values).map(name => ({ name, meets: metWithout(name, values, attempt) }));
  const named = without.filter(({ meets }) => meets === 'nothing');
  const suspects = named.length > 0 ? named : without.filter(({ meets }) => meets === 'refusal');
  const names = (suspects.length > 0 ? suspects : without).map(({ name }) => name).join(' or ');
  const kind = fault instanceof Error ? fault.name : typeof fault;
  return `${names} cannot be used as it is (${kind}): type it anew, in a URL with special characters percent-encoded.`;
}

/** Tells what an attempt meets without one setting. `refusal`: it is needed. */
function metWithout(name: string, values: SettingValues, attempt: (values: SettingValues) => unknown) {
  try {
    attempt(Object.fromEntries(Object.entries(values).filter(([other]) => other !== name)));
    return 'nothing';
  } catch (fault) {
    return fault instanceof ConfigError ? 'refusal' : 'the same';
  }
}
