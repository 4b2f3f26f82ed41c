import type { ServiceImpl } from '@connectrpc/connect';
import type { CarrierService } from '../../gen/tocsin/console/v1/carriers_pb.ts';
import { type Bus, subjects } from '../changes/bus.ts';
import type { Asked, AskedChannel } from '../channels/channel.ts';
import type { CarriersSetUp, DescribedCarrier, SettingValues } from '../channels/described.ts';
import { operatorOnly } from '../configuration/console.ts';
import { addressedTo } from '../configuration/contact-channel.ts';
import { invalidField } from '../configuration/errors.ts';
import type { Actor } from '../domain/actor.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { CARRIER_TESTS_MOST } from '../limits/table.ts';
import { createRateLimit } from '../limits/times.ts';
import { accessOf } from '../rpc/auth.ts';
import { readersLanguage, say } from '../rpc/reader.ts';
import type { Seal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import { readNow } from '../store/statements/responder.ts';
import { readSettings, settingChanges, storeSettings } from '../store/statements/settings.ts';
import type { Store } from '../store/store.ts';
import {
  changedByOther,
  inEnvironment,
  notSetUp,
  ordered,
  REFUSED,
  refusedHere,
  tooManyTests,
  unknownCarrier,
} from './carrier-refusals.ts';
import { askedOf, carrierView, faultsShown, type KnownCarrier } from './carrier-view.ts';
import { judged, wanted } from './carrier-wanted.ts';
import { unknownOf } from './unknown-carriers.ts';

/** What setting up carriers needs. */
export interface CarriersOn {
  store: Store;
  /** KEY_PEPPER, under which tokens are digested. */
  pepper: Pepper;
  seal: Seal;
  bus: Bus;
  setUp: CarriersSetUp;
  /** Asks all carriers that are in use, within a time limit in milliseconds. */
  ask(limitMs: number): Promise<Record<ChannelKind, AskedChannel>>;
  /** Resolves when this process goes by what is stored now. */
  follow(): Promise<void>;
  log: { info(about: object, message: string): void };
}

/** How long a carrier may take to answer, in milliseconds. */
const ASK_MS = 8_000;

/** How many changes of a carrier are told. */
const CHANGES_TOLD = 10;

/** How the operator sets up carriers (DECISIONS.md "Carriers set up in the console"). */
export function createCarrierService(deps: CarriersOn): ServiceImpl<typeof CarrierService> {
  const { store, seal, setUp } = deps;
  const { pool } = store;
  const tests = createRateLimit(CARRIER_TESTS_MOST);

  async function operator(context: Parameters<typeof accessOf>[2]): Promise<Actor> {
    const { token, actor } = await accessOf(store, deps.pepper, context);
    if (token !== 'operator') throw operatorOnly('set_up_carriers');
    return actor;
  }

  async function readAll(): Promise<KnownCarrier[]> {
    const [stored, changes] = await Promise.all([readSettings(pool), settingChanges(pool, CHANGES_TOLD)]);
    const parts = [...stored, ...changes].map(({ part }) => part);
    return [...setUp.described, ...unknownOf(parts, setUp)].map(described => {
      const own = changes.filter(({ part }) => part === described.name);
      const now = stored.find(({ part }) => part === described.name);
      return {
        described,
        environment: setUp.inEnvironment(described.name),
        stored: now === undefined ? null : opened(seal, now.sealed),
        leftOut: setUp.taken === 'refused' ? REFUSED : setUp.leftOut(described.name),
        version: own[0]?.version ?? 0,
        changes: own,
      };
    });
  }

  async function find(name: string): Promise<KnownCarrier> {
    if (!setUp.described.some(described => described.name === name)) throw unknownCarrier(name, setUp.described);
    return findAny(name);
  }

  /** Finds also what is stored for a carrier that this version does not know. */
  async function findAny(name: string): Promise<KnownCarrier> {
    const all = await readAll();
    const found = all.find(({ described }) => described.name === name);
    if (found === undefined) throw unknownCarrier(name, setUp.described);
    return found;
  }

  /** Returns a carrier after a change, before which it was asked: it need not be asked again. */
  async function view(name: string, asked: Asked) {
    return carrierView(await findAny(name), setUp.isInUse(name) ? asked : null, readersLanguage());
  }

  /** Returns a carrier if it may be changed from the version that was read. */
  function toChange(carrier: KnownCarrier, version: number): KnownCarrier {
    if (setUp.taken === 'refused') throw refusedHere();
    if (Object.keys(carrier.environment).length > 0) throw inEnvironment(carrier, readersLanguage());
    const [last] = carrier.changes;
    if (carrier.version === version) return carrier;
    if (last === undefined) throw invalidField('version', '0', version);
    throw changedByOther(last);
  }

  async function keep(carrier: KnownCarrier, values: SettingValues | null, actor: Actor): Promise<void> {
    const { name } = carrier.described;
    const names = Object.keys(values ?? {});
    const sealed = values === null ? null : seal.seal(JSON.stringify(values));
    const outcome = await storeSettings(pool, { part: name, after: carrier.version, names, sealed, by: actor });
    if (outcome === 'changed_meanwhile') throw changedByOther((await findAny(name)).changes[0]!);
    deps.log.info({ carrier: name, names, by: actor.name }, 'a carrier was set up in the console');
    deps.bus.publish(subjects.settings);
    await deps.follow();
  }

  return {
    async listCarriers(_request, context) {
      await operator(context);
      const [all, asked] = await Promise.all([readAll(), deps.ask(ASK_MS)]);
      const shown = all.filter(one => one.described.settings.length > 0 || one.stored !== null);
      return { carriers: shown.map(one => carrierView(one, askedOf(one.described.name, asked), readersLanguage())) };
    },

    async setCarrier({ name, settings, version, storeAnyway }, context) {
      const actor = await operator(context);
      const carrier = toChange(await find(name), version);
      const values = wanted(carrier, settings, readersLanguage());
      judged(setUp, name, values);
      const asked = await setUp.ask(name, values, ASK_MS);
      const said = { asked: asked.state, problem: faultsShown(asked) };
      if (asked.state === 'fails' && !storeAnyway) return { ...said, outcome: 'not_accepted' };
      await keep(carrier, values, actor);
      return { ...said, outcome: 'stored', carrier: await view(name, asked) };
    },

    async tryCarrier({ name, settings }, context) {
      await operator(context);
      const carrier = await find(name);
      if (Object.keys(settings).length === 0) {
        const asked = await setUp.ask(name, null, ASK_MS);
        return { asked: asked.state, problem: faultsShown(asked) };
      }
      if (setUp.taken === 'refused') throw refusedHere();
      if (Object.keys(carrier.environment).length > 0) throw inEnvironment(carrier, readersLanguage());
      const values = wanted(carrier, settings, readersLanguage());
      judged(setUp, name, values);
      const asked = await setUp.ask(name, values, ASK_MS);
      return { asked: asked.state, problem: faultsShown(asked) };
    },

    async removeCarrier({ name, version }, context) {
      const actor = await operator(context);
      const carrier = toChange(await findAny(name), version);
      const setting = setUp.orderedBy(name);
      if (setting !== null && carrier.stored !== null) throw ordered(carrier, setting, readersLanguage());
      if (carrier.changes[0]?.names.length) await keep(carrier, null, actor);
      return { carrier: await view(name, { state: 'not_asked' }) };
    },

    async sendTestMessage({ name, channel, to }, context) {
      const { name: by } = await operator(context);
      const { described } = await find(name);
      const kind = channelOf(described, channel);
      if (to.trim() === '') throw invalidField('to', say().accepts.addressToTry, to);
      const pass = tests.take('all', performance.now());
      if (pass.kind === 'too_many') throw tooManyTests(pass.retryAfterS);
      deps.log.info({ carrier: name, channel: kind, by }, 'a test message goes out, as the operator asked');
      const at = (await readNow(pool)).getTime();
      const person = { name: to, locale: readersLanguage(), timeZone: 'UTC', voice: '' };
      const alert = { ...addressedTo(person, '', at), purpose: 'drill' as const, at };
      const outcome = await setUp.send(name, { kind, to: to.trim(), alert });
      if (outcome === null) throw notSetUp(described, readersLanguage());
      if (outcome.kind === 'sent' || outcome.kind === 'delivered') return { outcome: 'sent' };
      return { outcome: 'failed', problem: say().faults('reason' in outcome ? outcome.reason : '') };
    },
  };
}

function channelOf({ carries }: DescribedCarrier, word: string): ChannelKind {
  const found = word === '' && carries.length === 1 ? carries[0] : carries.find(kind => kind === word);
  if (found === undefined) throw invalidField('channel', say().accepts.oneOf(carries), word);
  return found;
}

/** Null: it cannot be opened. */
function opened(seal: Seal, sealed: string): SettingValues | 'cannot_be_opened' {
  try {
    return JSON.parse(seal.open(sealed)) as SettingValues;
  } catch {
    return 'cannot_be_opened';
  }
}
