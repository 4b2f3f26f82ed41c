import { Code, ConnectError } from '@connectrpc/connect';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { InUseSchema, InvalidFieldsSchema, type User } from '../../../gen/tocsin/common/v1/common_pb.ts';
import { Icon } from '../design/icon.tsx';
import { readAgain } from './live.ts';
import { faultOf } from './rpc.ts';
import { lost } from './session.ts';
import { words } from './words.ts';

/** An edit in progress: what was read, what it shall be, and who else was at it. */
export interface Draft<T> {
  value: T;
  /** What differs from what was read. */
  changed: readonly (keyof T & string)[];
  set(changes: Partial<T>): void;
  /**
   * Takes what somebody else stored meanwhile: their values where nothing was changed here, ours where it was. Returns the fields
   * that only they changed, and those that both did.
   */
  meet(theirs: T): { theirs: (keyof T & string)[]; both: (keyof T & string)[] };
}

/** Begins an edit of `stored`. Fields are plain values: text, numbers, lists and records of them. */
export function useDraft<T extends object>(stored: T): Draft<T> {
  const [{ base, value }, hold] = useState({ base: stored, value: stored });
  const changed = differing(base, value);
  return {
    value,
    changed,
    set: changes => hold(held => ({ ...held, value: { ...held.value, ...changes } })),
    meet(theirs) {
      const moved = differing(base, theirs);
      const both = moved.filter(field => changed.includes(field) && !isSame(value[field], theirs[field]));
      const ours = Object.fromEntries(changed.map(field => [field, value[field]])) as Partial<T>;
      hold({ base: theirs, value: { ...theirs, ...ours } });
      return { theirs: moved.filter(field => !changed.includes(field)), both };
    },
  };
}

function differing<T extends object>(one: T, other: T): (keyof T & string)[] {
  return (Object.keys(one) as (keyof T & string)[]).filter(field => !isSame(one[field], other[field]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Why something was not done. */
export interface Refusal {
  kind: 'conflict' | 'fields' | 'in_use' | 'refused' | 'away';
  /** For the whole form. */
  message: string;
  /** By the proto JSON path of a field, such as `steps[0].delayS`. */
  fields: ReadonlyMap<string, string>;
  /** What uses that which was to be deleted; at most 20. */
  users: readonly User[];
}

/** Says why a call was refused. */
export function refusalOf(fault: unknown): Refusal {
  const error = ConnectError.from(fault);
  const [invalid] = error.findDetails(InvalidFieldsSchema);
  const [inUse] = error.findDetails(InUseSchema);
  const fields = new Map(invalid?.fields.map(({ field, problem }) => [field, problem]) ?? []);
  const kind = faultOf(fault).kind === 'away' ? 'away' : 'refused';
  return {
    kind: error.code === Code.Aborted ? 'conflict' : fields.size > 0 ? 'fields' : inUse === undefined ? kind : 'in_use',
    message: error.rawMessage,
    fields,
    users: inUse?.users ?? [],
  };
}

/** Something that is being done, and how it went. */
export interface Doing {
  is: 'idle' | 'working' | 'done';
  refusal: Refusal | null;
  /** The sentence of a field that was refused, for Field's `wrong`. */
  wrong(field: string): string | null;
  /** Does it, and lets the screen read again. Never rejects. */
  run(act: () => Promise<unknown>): Promise<'done' | Refusal>;
  forget(): void;
}

/** For one form or one button that calls. */
export function useDoing(): Doing {
  const [{ is, refusal }, now] = useState<Pick<Doing, 'is' | 'refusal'>>({ is: 'idle', refusal: null });
  return {
    is,
    refusal,
    wrong: field => refusal?.fields.get(field) ?? null,
    async run(act) {
      now({ is: 'working', refusal: null });
      try {
        await act();
        now({ is: 'done', refusal: null });
        readAgain();
        return 'done';
      } catch (fault) {
        const refusal = refusalOf(fault);
        if (faultOf(fault).kind === 'signed_out') lost();
        now({ is: 'idle', refusal });
        return refusal;
      }
    },
    forget: () => now({ is: 'idle', refusal: null }),
  };
}

/** What was refused, above the buttons of a form. Fields say their own sentences; those that the form does not show stand here. */
export function Refused({ on, shown = [] }: { on: Doing; shown?: readonly string[] }) {
  if (on.refusal === null || on.refusal.kind === 'conflict') return null;
  const { fields, message, users } = on.refusal;
  const unseen = [...fields]
    .filter(([field]) => !shown.includes(field))
    .map(([field, problem]) => `${field} ${problem}`);
  if (fields.size > 0 && unseen.length === 0) return null;
  return (
    <div class="notice bad" role="alert">
      <Icon name="alert" />
      <div>
        {fields.size > 0 ? unseen.join(' ') : message}
        {users.length > 0 && (
          <ul>
            {users.map(({ id, name }) => (
              <li key={id} dir="auto">
                {name}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

/** Says what somebody else changed while this was being edited. Fields by the names that the form shows. */
export function Met({ theirs, both }: { theirs: readonly string[]; both: readonly string[] }) {
  const say = words().conflict;
  return (
    <div class="notice" role="alert">
      <Icon name="alert" />
      <div>
        <b>{say.title}</b> {theirs.length > 0 && say.theirs(theirs.join(', '))}{' '}
        {both.length > 0 && say.both(both.join(', '))}
      </div>
    </div>
  );
}

/** The buttons below a form. */
export function FormEnd({ on, onCancel, children }: { on: Doing; onCancel?(): void; children?: ComponentChildren }) {
  return (
    <div class="choices">
      <button type="submit" class="button" disabled={on.is === 'working'}>
        {children ?? words().save}
      </button>
      {onCancel !== undefined && (
        <button type="button" class="button quiet" onClick={onCancel}>
          {words().cancel}
        </button>
      )}
      <span class="soft" role="status">
        {on.is === 'done' && words().saved}
      </span>
    </div>
  );
}
