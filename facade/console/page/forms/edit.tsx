import { Code, ConnectError } from '@connectrpc/connect';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { InUseSchema, InvalidFieldsSchema, type User } from '../../../../gen/tocsin/common/v1/common_pb.ts';
import { Icon } from '../../design/icon.tsx';
import { readAgain } from '../live/live.ts';
import { faultOf } from '../rpc/rpc.ts';
import { lost } from '../rpc/session.ts';
import { addressOf } from '../way/router.ts';
import { allWords, words } from '../words.ts';
import type { Draft, Field } from './draft.ts';
import { nameOfField, type Thing } from './field-names.ts';

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

/** Returns why a call was refused. */
export function refusalOf(fault: unknown): Refusal {
  const error = ConnectError.from(fault);
  const [invalid] = error.findDetails(InvalidFieldsSchema);
  const [inUse] = error.findDetails(InUseSchema);
  const fields = new Map(invalid?.fields.map(({ field, problem }) => [field, problem]) ?? []);
  const kind = faultOf(fault).kind === 'away' ? 'away' : 'refused';
  return {
    kind: error.code === Code.Aborted ? 'conflict' : fields.size > 0 ? 'fields' : inUse === undefined ? kind : 'in_use',
    message: withoutReason(faultOf(fault).message),
    fields,
    users: inUse?.users ?? [],
  };
}

/** Returns a message without the reason in front of it, which is for programs. */
function withoutReason(message: string): string {
  return sentence(message.replace(/^[a-z_]+: /, ''));
}

/** Turns what is said of a field, which goes on from its name, into a sentence of its own. Empty fields need none: everybody sees them. */
export function sentence(said: string): string {
  return said.charAt(0).toUpperCase() + said.slice(1).replace(/, [^,]*""\.$/, '.');
}

/** An action of a form or a button, while it runs and once it has ended. */
export interface Doing {
  is: 'idle' | 'working' | 'done';
  refusal: Refusal | null;
  /** The sentence of a field that was refused, for Field's `wrong`. */
  wrong(field: string): string | null;
  /** Runs it, then lets the screen read again. Never rejects. */
  run(act: () => Promise<unknown>): Promise<'done' | Refusal>;
  forget(): void;
}

/** Returns the state of the actions of one form or one button. */
export function useDoing(): Doing {
  const [{ is, refusal }, now] = useState<Pick<Doing, 'is' | 'refusal'>>({ is: 'idle', refusal: null });
  return {
    is,
    refusal,
    wrong(field) {
      const problem = refusal?.fields.get(field);
      return problem === undefined ? null : sentence(problem);
    },
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
        if (refusal.kind === 'conflict') readAgain();
        now({ is: 'idle', refusal });
        return refusal;
      }
    },
    forget: () => now({ is: 'idle', refusal: null }),
  };
}

/** Shows a refusal above the buttons of a form, with the errors of fields that the form does not show itself. */
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
            {users.map(user => (
              <li key={user.id}>
                <UserLink of={user} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

/** Where a thing that uses another is changed. */
const SCREENS: Readonly<Record<string, string>> = {
  alarm: 'alarms',
  panic_button: 'panic-buttons',
  contact: 'people',
  duty: 'duties',
  policy: 'policies',
};

function UserLink({ of: { kind, id, name } }: { of: User }) {
  const screen = SCREENS[kind];
  if (screen === undefined) return <bdi>{name}</bdi>;
  return (
    <a href={addressOf(`${screen}/${id}`)} data-screen dir="auto">
      {name}
    </a>
  );
}

/**
 * Says what somebody else stored during this edit, by the names of the form's fields. `thing`: what is edited; `children`:
 * their values, where both changed one.
 */
export function Met<T>(on: { of: Draft<T>; doing: Doing; thing: Thing; children?: ComponentChildren }) {
  const { met } = on.of;
  if (met === null && on.doing.refusal?.kind !== 'conflict') return null;
  const say = words().conflict;
  const nameOf = (field: Field<T>) => nameOfField(allWords(), on.thing, field) ?? field;
  const theirs = (met?.theirs ?? []).map(nameOf).join(', ');
  const both = (met?.both ?? []).map(field => nameOf(field) + saying(met?.stored[field])).join(', ');
  return (
    <div class="notice" role="alert">
      <Icon name="alert" />
      <div>
        <b>{say.title}</b> {theirs !== '' && say.theirs(theirs)} {both !== '' && say.both(both)}
        {on.children}
      </div>
    </div>
  );
}

function saying(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? ` (“${value}”)` : '';
}

/** Shows the buttons below a form. `once`: it cannot be sent again. */
export function FormEnd(of: { on: Doing; once?: boolean; onCancel?(): void; children?: ComponentChildren }) {
  const { on, onCancel } = of;
  return (
    <div class="choices">
      <button type="submit" class="button" disabled={on.is === 'working' || (of.once === true && on.is === 'done')}>
        {of.children ?? words().save}
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
