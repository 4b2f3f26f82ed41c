import type { Mode } from '../../gen/tocsin/console/v1/alarms_pb.ts';
import { clean, mismatch, shown } from '../../services/process/text.ts';
import { MODES } from '../../services/process/vocabulary.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { usageFault } from './exit.ts';

/** One `--mode`: undefined fields stay as they are. */
export interface ModeFlag {
  id: string;
  name?: string;
  policyId?: string;
  windowS?: number;
}

/** A mode as the services accept it. */
export type ModeFields = Required<ModeFlag>;

/** The window of away in a new alarm (DECISIONS.md "False-alarm window": the console proposes 30). */
export const PROPOSED_WINDOW_S = 30;

/** Parses one `--mode` such as `away:policy=family,window=30s`. Throws a usage fault for what it cannot parse. */
export function parseMode(text: string): ModeFlag {
  const [id = '', rest = ''] = text.split(/:(.*)/s);
  if (!MODES.includes(id as never)) {
    throw usageFault(`--mode begins with ${MODES.join(', ')}, got ${shown(id)}. ${FORM}`);
  }
  const mode: ModeFlag = { id };
  for (const setting of rest.split(',').filter(part => part !== '')) {
    const [name = '', value] = setting.split(/=(.*)/s);
    if (value !== undefined && name === 'policy') mode.policyId = value;
    else if (value !== undefined && name === 'window') mode.windowS = parseDuration(value, `--mode ${id}:window`);
    else if (value !== undefined && name === 'name') mode.name = value;
    else throw usageFault(`--mode ${id} ${mismatch('policy=, window= and name=', shown(setting))} ${FORM}`);
  }
  return mode;
}

const FORM = 'Write for example --mode away:policy=family,window=30s.';

/**
 * Returns the modes of a new alarm: those given, or all four; away gets the proposed window unless it names its own.
 */
export function newModes(given: readonly ModeFlag[]): { modes: ModeFields[]; proposedWindow: 'proposed' | 'given' } {
  const flags = given.length === 0 ? MODES.map(id => ({ id })) : given;
  const modes = withModes([], flags, []);
  const away = flags.find(({ id }) => id === 'away');
  if (away === undefined || ('windowS' in away && away.windowS !== undefined))
    return { modes, proposedWindow: 'given' };
  const withWindow = modes.map(mode => (mode.id === 'away' ? { ...mode, windowS: PROPOSED_WINDOW_S } : mode));
  return { modes: withWindow, proposedWindow: 'proposed' };
}

/**
 * Returns the modes of an alarm after a change: those given are added or changed in the fields they name, those removed
 * are gone, all others stay. Throws a usage fault if a mode is named twice, or removed without being there.
 */
export function withModes(now: readonly Mode[], given: readonly ModeFlag[], removed: readonly string[]): ModeFields[] {
  const named = [...given.map(({ id }) => id), ...removed];
  const twice = named.find((id, index) => named.indexOf(id) !== index);
  if (twice !== undefined) throw usageFault(`The mode ${twice} is named twice: name each mode once.`);
  const absent = removed.find(id => now.every(mode => mode.id !== id));
  if (absent !== undefined) {
    const there = now.map(({ id }) => id).join(', ') || 'none';
    throw usageFault(`--remove-mode ${mismatch(`a mode that the alarm has (${there})`, shown(absent))}`);
  }
  return MODES.flatMap(id => {
    const before = now.find(mode => mode.id === id);
    const flag = given.find(mode => mode.id === id);
    if (removed.includes(id) || (before === undefined && flag === undefined)) return [];
    const { name, policyId, windowS } = { name: '', policyId: '', windowS: 0, ...before, ...flag };
    return [{ id, name, policyId, windowS }];
  });
}

/** Formats a mode: `away: policy family, window 30s`. `policyName` returns the name of a policy. */
export function modeLine({ id, name, policyId, windowS }: Mode, policyName: (id: string) => string): string {
  const shown = name === '' || name.toLowerCase() === id ? '' : ` (${clean(name)})`;
  const policy = policyId === '' ? 'no policy, alerts nobody' : `policy ${policyName(policyId)}`;
  return `${id}${shown}: ${policy}${windowS === 0 ? '' : `, window ${formatDuration(windowS)}`}`;
}
