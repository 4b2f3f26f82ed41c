import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { nameOfField } from '../forms/field-names.ts';
import { languageName } from '../people/people.ts';
import { dollarsOf, pauseOf } from '../settings/units.ts';
import { allWords, language, words, wordsOf } from '../words.ts';
import { type Difference, IDS, idOf, isNone, type Place, pathOf } from './differences.ts';
import { spanOf } from './span.ts';
import { zones } from './time.tsx';

/** The names of things by their ids, as far as they are known. */
export type KnownNames = ReadonlyMap<string, string>;

/** A difference in the words of the forms. Null: there was none, or is none. */
export interface Said {
  name: string;
  before: string | null;
  after: string | null;
}

/** Says a difference of a thing in the reader's language, with values as its form shows them. */
export function sayDifference(thing: string, { way, before, after }: Difference, known: KnownNames): Said {
  const path = pathOf(way);
  const last = way.at(-1);
  const isOneKnown = last !== undefined && 'known' in last && last.known === 'by_id';
  const say = (value: JsonValue) => textOf(thing, path, isOneKnown ? withoutId(value) : value, known);
  return { name: nameOfWay(thing, way, known), before: say(before), after: say(after) };
}

/** `Mode Away · Policy`: lists say which of theirs it is, the field at the end what it is. */
function nameOfWay(thing: string, way: readonly Place[], known: KnownNames): string {
  const parts = way.map((place, at) => {
    const path = pathOf(way.slice(0, at + 1));
    if ('field' in place) {
      const isList = at + 1 < way.length && 'one' in way[at + 1]!;
      return isList ? '' : (nameOfField(allWords(), thing, path) ?? place.field);
    }
    const one = place.known === 'by_id' ? nameOfId(place.one, known) : place.one;
    return `${words().ofList[path] ?? path} ${one}`;
  });
  return parts.filter(part => part !== '').join(' · ');
}

/** What stands for a mode, a channel or another thing where people read. */
function nameOfId(id: string, known: KnownNames): string {
  return words().incident.channels[id] ?? words().modes[id] ?? known.get(id) ?? id;
}

function textOf(thing: string, path: string, value: JsonValue, known: KnownNames): string | null {
  const field = path.slice(path.lastIndexOf('.') + 1);
  if (isNone(value)) return value === '' ? (IF_NONE[field]?.() ?? null) : null;
  if (Array.isArray(value)) {
    const isPlain = value.every(one => typeof one === 'string');
    return value.map(one => textOf(thing, path, one, known)).join(isPlain ? ', ' : '; ');
  }
  if (typeof value === 'object') return ofObject(thing, path, value as JsonObject, known);
  if (typeof value === 'boolean') return value ? wordsOf('settings').members.yes : wordsOf('settings').members.no;
  const text = VALUES[field]?.(String(value)) ?? String(value);
  return NAMING.has(field) ? nameOfId(text, known) : text;
}

/** `Away (Family)`: what it is known by, and what else is set of it. */
function ofObject(thing: string, path: string, value: JsonObject, known: KnownNames): string {
  const id = idOf(value);
  const head = id === undefined ? '' : nameOfId(id, known);
  const rest = Object.entries(value)
    .filter(([field, one]) => !(IDS as readonly string[]).includes(field) && !isNone(one ?? null) && one !== 0)
    .map(([field, one]) => [field, textOf(thing, `${path}.${field}`, one ?? null, known)] as const)
    .filter(([, text]) => text !== head);
  const says = rest.map(([field, text]) =>
    rest.length === 1 ? text : `${nameOfField(allWords(), thing, `${path}.${field}`) ?? field}: ${text}`,
  );
  if (head === '') return says.join(', ');
  return says.length === 0 ? head : `${head} (${says.join(', ')})`;
}

/** The fields that name another thing by its id. */
const NAMING: ReadonlySet<string> = new Set([...IDS, 'channels', 'locationId', 'policyId', 'alarmId']);

/** What its name says already. Whole, where there is nothing else to it. */
function withoutId(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const rest = Object.entries(value).filter(([field]) => !(IDS as readonly string[]).includes(field));
  return rest.some(([, one]) => !isNone(one ?? null) && one !== 0) ? Object.fromEntries(rest) : value;
}

/** Where nothing is something. */
const IF_NONE: Readonly<Record<string, () => string>> = {
  policyId: () => wordsOf('alarms').noPolicy,
  alarmId: () => wordsOf('keys').account,
  expiresAt: () => wordsOf('settings').tokens.never,
};

/** Values that forms show in other words. */
const VALUES: Readonly<Record<string, (value: string) => string | undefined>> = {
  plan: value => wordsOf('settings').account.plans[value],
  role: value => words().roles[value],
  responseKind: value => wordsOf('alarms').responses[value],
  locale: languageName,
  ownerLocale: languageName,
  verification: value => wordsOf('people').reach[value === 'verified' ? 'goes' : value],
  expiresAt: timeOf,
  delayS: value => spanOf(Number(value)),
  repeatDelayS: value => spanOf(Number(value)),
  askAgainAfterS: value => (value === '0' ? wordsOf('policies').form.askNever : spanOf(Number(value))),
  overlapS: value => spanOf(Number(value)),
  repeat: value => wordsOf('policies').form.repeats(Number(value)),
  stillHappeningS: value =>
    value === '0' ? wordsOf('settings').account.never : wordsOf('settings').account.every(pauseOf(Number(value))),
  drills: value => wordsOf('settings').account.drills[value],
  supervisionS: value => (value === '0' ? wordsOf('keys').form.unsupervised : pauseOf(Number(value))),
  onSilence: value => wordsOf('keys').form.onSilences[value],
  dailySpendCapCents: value => dollarsOf(Number(value)),
  dailySpendCeilingCents: value => dollarsOf(Number(value)),
};

function timeOf(iso: string): string {
  const style = { dateStyle: 'medium', timeStyle: 'short', timeZone: zones().account } as const;
  return new Intl.DateTimeFormat(language.value === 'en' ? 'en-GB' : language.value, style).format(new Date(iso));
}
