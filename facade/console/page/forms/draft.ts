import { useEffect, useState } from 'preact/hooks';
import { session } from '../rpc/session.ts';

/** An edit in progress: what was read, what it is to become, and what somebody else stored meanwhile. */
export interface Draft<T> {
  value: T;
  /** What differs from what was read. */
  changed: readonly Field<T>[];
  /** With a function: of what it is by then, as a browser fills in several fields before anything is drawn again. */
  set(changes: Partial<T> | ((value: T) => Partial<T>)): void;
  /** What somebody else stored while this was being edited. Null: nobody did. */
  met: Meeting<T> | null;
  /** Discards the edit; with `saved`, goes on from what was stored and keeps what was typed while it was being saved. */
  end(saved?: T): void;
}

export type Field<T> = keyof T & string;

/** Two edits that met: fields that only they changed stand as theirs by now, those that both did as ours. */
export interface Meeting<T> {
  theirs: Field<T>[];
  both: Field<T>[];
  /** All of what they stored. */
  stored: T;
}

interface Held<T> {
  base: T;
  value: T;
  met: Meeting<T> | null;
}

/** Edits that are not saved yet, so that they outlast a look at another screen and a session that ends in between. */
const unsaved = new Map<string, unknown>();

/** Lets the browser ask before the page is left with edits that would be lost. It listens only then: whoever does is not kept for "back". */
function keepFromLeaving(event: Event): void {
  event.preventDefault();
}

function hold<T>(name: string, held: Held<T>): void {
  unsaved.set(name, held);
  addEventListener('beforeunload', keepFromLeaving);
}

function drop(name: string): void {
  unsaved.delete(name);
  if (unsaved.size === 0) removeEventListener('beforeunload', keepFromLeaving);
}

/**
 * Begins or goes on with an edit of `stored`, which may change while it lasts. Fields are plain values: text, numbers, lists and
 * records of them; `version` is no edit, it goes with what was read, and with 0 it is a new thing that nobody else stores. `name`
 * says of what it is, such as `contact <id>`.
 */
export function useDraft<T extends object>(stored: T, name: string): Draft<T> {
  const kept = nameHere(name);
  const [held, turn] = useState<Held<T>>(
    () => (unsaved.get(kept) as Held<T> | undefined) ?? { base: stored, value: stored, met: null },
  );
  const now = inLightOf(stored, held);
  const changed = differing(now.base, now.value);
  const take = (next: Held<T>) => {
    if (differing(next.base, next.value).length > 0) hold(kept, next);
    else drop(kept);
    return next;
  };
  useEffect(() => {
    // What is held by now, not when this was drawn: keys are pressed in between.
    if (now !== held) turn(held => take(inLightOf(stored, held)));
  });
  return {
    value: now.value,
    changed,
    met: now.met,
    set(changes) {
      turn(held => {
        const given = typeof changes === 'function' ? changes(held.value) : changes;
        return take({ ...held, value: { ...held.value, ...given } });
      });
    },
    end(saved) {
      drop(kept);
      turn(held => {
        if (saved === undefined) return { base: stored, value: stored, met: null };
        const since = only(held.value, differing(now.value, held.value));
        return take({ base: saved, value: { ...saved, ...since }, met: null });
      });
    },
  };
}

function versionOf(of: object): number {
  return 'version' in of ? Number(of.version) : 0;
}

/** Tells whether an edit of that name was left unsaved, so that its form is opened again. */
export function isUnsaved(name: string): boolean {
  return unsaved.has(nameHere(name));
}

/** Edits are of one person in one account. */
function nameHere(name: string): string {
  if (session.value.is !== 'signed_in') return name;
  const { account, who } = session.value;
  return `${account.id} ${who.member?.id ?? who.kind} ${name}`;
}

/** The edit itself where `stored` is no news: it was read before the last save, or is of a new thing, which nobody else stores. */
function inLightOf<T extends object>(stored: T, held: Held<T>): Held<T> {
  const isNews = versionOf(stored) >= versionOf(held.base) && !('version' in stored && stored.version === 0);
  return isNews && !isSame(stored, held.base) ? meet(held, stored) : held;
}

/** Takes what somebody else stored: their values where nothing was changed here, ours where it was. */
function meet<T extends object>({ base, value, met }: Held<T>, stored: T): Held<T> {
  const changed = differing(base, value);
  const moved = differing(base, stored);
  const both = moved.filter(field => changed.includes(field) && !isSame(value[field], stored[field]));
  const theirs = moved.filter(field => !changed.includes(field));
  const ours = only(value, changed);
  const isNew = changed.length > 0 && theirs.length + both.length > 0;
  return { base: stored, value: { ...stored, ...ours }, met: isNew ? { theirs, both, stored } : met };
}

function only<T extends object>(of: T, fields: readonly Field<T>[]): Partial<T> {
  return Object.fromEntries(fields.map(field => [field, of[field]])) as Partial<T>;
}

function differing<T extends object>(one: T, other: T): Field<T>[] {
  const fields = Object.keys(one) as Field<T>[];
  return fields.filter(field => field !== 'version' && !isSame(one[field], other[field]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
