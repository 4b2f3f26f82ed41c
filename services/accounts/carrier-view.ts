import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CarrierSchema } from '../../gen/tocsin/console/v1/carriers_pb.ts';
import type { Asked, AskedChannel } from '../channels/channel.ts';
import type { CarrierSetting, DescribedCarrier, Said, SettingValues } from '../channels/described.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { SMTP_OPTIONS } from '../process/vocabulary.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import type { SettingChange } from '../store/statements/settings.ts';

/** A carrier, and how it is set up. */
export interface KnownCarrier {
  described: DescribedCarrier;
  /** What stands in the environment; null: a file holds it. */
  environment: Readonly<Record<string, string | null>>;
  /** What is stored; null: nothing. */
  stored: SettingValues | 'cannot_be_opened' | null;
  /** Why what is stored is left out; null: it is not. */
  leftOut: string | null;
  version: number;
  /** The newest first. */
  changes: readonly SettingChange[];
}

/** What a carrier answered on all channels that it carries; null: it carries nothing. */
export function askedOf(name: string, asking: Readonly<Record<ChannelKind, AskedChannel>>): Asked | null {
  const each = Object.values(asking).flatMap(asked => asked.each.filter(({ carrier }) => carrier === name));
  return (
    each.find(({ state }) => state === 'fails') ?? each.find(({ state }) => state === 'answers') ?? each[0] ?? null
  );
}

/** Returns a carrier as the operator sees it: without secrets, in their language. `asked`: as askedOf. */
export function carrierView(
  carrier: KnownCarrier,
  asked: Asked | null,
  language: string,
): MessageInitShape<typeof CarrierSchema> {
  const { described, environment, stored, version, changes } = carrier;
  const { name, title, about, carries, settings, presets = [] } = described;
  return {
    name,
    title: saidIn(title, language),
    about: saidIn(about, language),
    channels: [...carries],
    setIn: setIn(carrier),
    ...standing(carrier, asked),
    settings: settings.map(setting => settingView(setting, environment, stored, language)),
    version,
    changes: changes.map(({ version: made, at, by, names }) => ({ version: made, at: protoTime(at), by, names })),
    presets: presets.map(preset => ({ ...preset, note: saidIn(preset.note, language) })),
  };
}

/** Returns what is said in the language of the reader; English where there is none. */
export function saidIn(said: Said, language: string): string {
  return Object.hasOwn(said, language) ? said[language as keyof Said] : said.en;
}

/** Where a carrier is set up; empty: nowhere. */
export function setIn({ environment, stored }: Pick<KnownCarrier, 'environment' | 'stored'>): string {
  if (Object.keys(environment).length > 0) return 'environment';
  return stored === null ? '' : 'console';
}

/** Returns what is wrong with a carrier, in words; empty: nothing is known to be. */
export function faultsShown(asked: Asked): string {
  return asked.state === 'fails' ? say().faults(asked.problem) : '';
}

function standing({ described, environment, stored, leftOut }: KnownCarrier, asked: Asked | null) {
  const isStored = stored !== null && Object.keys(environment).length === 0;
  if (isStored && leftOut !== null) return { state: 'left_out', problem: say().faults(leftOut) };
  if (asked !== null) {
    return { state: asked.state === 'answers' ? 'works' : asked.state, problem: faultsShown(asked) };
  }
  const needed = described.settings.filter(({ asked }) => asked === 'needed');
  const isSet = isStored || (needed.length > 0 && needed.every(({ name }) => Object.hasOwn(environment, name)));
  return { state: isSet ? 'stands_aside' : 'not_set' };
}

function settingView(
  { name, label, hint, asked, holds }: CarrierSetting,
  environment: KnownCarrier['environment'],
  stored: KnownCarrier['stored'],
  language: string,
) {
  const isFromEnvironment = Object.keys(environment).length > 0;
  const known = stored === null || stored === 'cannot_be_opened' ? {} : stored;
  const value = isFromEnvironment ? environment[name] : known[name];
  return {
    name,
    label: saidIn(label, language),
    hint: saidIn(hint, language),
    asked,
    holds,
    value: shownOf(holds, value ?? ''),
    isSet: value !== undefined,
    inEnvironment: Object.hasOwn(environment, name),
  };
}

/** What may be shown again of a value. */
function shownOf(holds: CarrierSetting['holds'], value: string): string {
  if (holds === 'text') return value;
  return holds === 'mail_server' ? withoutPassword(value) : '';
}

/** Some providers take one token as both the user and the password. */
function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return '';
  const shown = new URL(url);
  if (shown.username === shown.password) shown.username = '';
  shown.password = '';
  for (const name of [...shown.searchParams.keys()]) {
    if (!SMTP_OPTIONS.includes(name)) shown.searchParams.delete(name);
  }
  return shown.href;
}
