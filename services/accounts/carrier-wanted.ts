import type { CarrierSetting, CarriersSetUp, SettingValues } from '../channels/described.ts';
import { type FieldFault, invalidFields, mismatchOf } from '../configuration/errors.ts';
import { say } from '../rpc/reader.ts';
import { type KnownCarrier, saidIn } from './carrier-view.ts';

/** How long a value may be, in characters. */
const VALUE_MOST = 1_000;

/**
 * Returns the settings of a carrier after a change: what is not named stays, what is empty goes. Throws INVALID_ARGUMENT for one that it
 * does not have, and for a secret that is not named where one changes that says where secrets are sent: whoever does not know
 * them could have them sent to themselves.
 */
export function wanted(
  { described, stored }: KnownCarrier,
  named: SettingValues,
  language: string,
): Record<string, string> {
  const before = stored === null || stored === 'cannot_be_opened' ? {} : stored;
  const known = described.settings.map(({ name }) => name);
  const faults: FieldFault[] = [];
  const values: Record<string, string> = { ...before };
  for (const [name, given] of Object.entries(named)) {
    const value = given.trim();
    if (!known.includes(name)) {
      faults.push({ field: name, problem: say().accepts.settingOf(saidIn(described.title, language), known) });
    } else if (value.length > VALUE_MOST || /[\r\n\0]/.test(value)) {
      faults.push({ field: name, problem: mismatchOf(say().accepts.settingShort(VALUE_MOST), `${value.length}`) });
    } else if (value === '') delete values[name];
    else values[name] = value;
  }
  const led = described.settings.find(one => one.leads !== undefined && values[one.name] !== before[one.name]);
  if (led !== undefined) faults.push(...untyped(described.settings, before, named, led.name));
  if (faults.length > 0) throw invalidFields(faults);
  return values;
}

function untyped(
  settings: readonly CarrierSetting[],
  before: SettingValues,
  named: SettingValues,
  because: string,
): FieldFault[] {
  return settings
    .filter(({ name, holds }) => holds === 'secret' && before[name] !== undefined && named[name] === undefined)
    .map(({ name }) => ({ field: name, problem: say().accepts.secretAgain(because) }));
}

/** Throws INVALID_ARGUMENT where the carrier cannot be set up so: in the words of whoever reads the environment. */
export function judged(setUp: CarriersSetUp, name: string, values: SettingValues): void {
  const result = setUp.judge(name, values);
  if (result.verdict === 'fits') return;
  const [, field = '', problem = result.problem] = /^([A-Z][A-Z0-9_]+) (.*)$/s.exec(result.problem) ?? [];
  throw invalidFields([{ field, problem }]);
}
