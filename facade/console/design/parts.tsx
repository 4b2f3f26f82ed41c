import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useModal } from './dialog.tsx';
import { Wrong } from './fields.tsx';
import { Icon, type IconName } from './icon.tsx';

/** What a state is: each has a colour and a shape of its own (components.css). */
export type Tone = 'live' | 'test' | 'good' | 'warn' | 'off';

export function Chip({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`chip ${tone}`}>{children}</span>;
}

/** A designed nothing: what is missing, why, and what to do. */
export function Empty(on: {
  icon: IconName;
  title: string;
  text?: ComponentChildren;
  /** `screen`: there is nothing else on it. */
  of?: 'part' | 'screen';
  children?: ComponentChildren;
}) {
  const Title = on.of === 'screen' ? 'h1' : 'h2';
  return (
    <div class="empty">
      <Icon name={on.icon} />
      <Title>{on.title}</Title>
      {on.text !== undefined && <p class="soft">{on.text}</p>}
      {on.children}
    </div>
  );
}

/** Stands where something is being read. */
export function Skeleton({ label }: { label: string }) {
  return (
    <div class="card empty" role="status">
      <span class="unseen">{label}</span>
      {[60, 90, 40].map(width => (
        <div key={width} class="skeleton" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** Asks once before something is done that others notice. */
export function Confirm(on: {
  title: string;
  text: string;
  yes: string;
  no: string;
  tone: 'plain' | 'live';
  /** A sentence where it did not work. */
  wrong: string | null;
  working: boolean;
  /** What is chosen along with it. */
  children?: ComponentChildren;
  onYes(): void;
  onNo(): void;
}) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} aria-labelledby="confirm" onClose={on.onNo}>
      <form
        onSubmit={event => {
          event.preventDefault();
          on.onYes();
        }}
      >
        <h2 id="confirm">{on.title}</h2>
        <p class="soft">{on.text}</p>
        {on.children}
        {on.wrong !== null && (
          <p class="notice bad" role="alert">
            {on.wrong}
          </p>
        )}
        <div class="choices">
          <button type="submit" class={on.tone === 'live' ? 'button live' : 'button'} disabled={on.working}>
            {on.yes}
          </button>
          <button type="button" class="button quiet" onClick={on.onNo}>
            {on.no}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** A text field with its own sentence where it is wrong. */
export function Field(on: {
  label: string;
  name: string;
  value: string;
  onInput(value: string): void;
  wrong?: string | null;
  type?: 'text' | 'email' | 'password' | 'search' | 'tel' | 'url' | 'date' | 'time' | 'datetime-local' | 'number';
  /** A sentence below it. */
  hint?: string;
  /** What may be chosen, in a list that opens while one types. */
  suggestions?: readonly string[];
  autocomplete?: string;
  numeric?: boolean;
  required?: boolean;
  focus?: boolean;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (on.focus) input.current?.focus();
  }, []);
  const wrong = on.wrong ?? null;
  const list = on.suggestions === undefined ? undefined : `${on.name}-suggestions`;
  return (
    <label class="field">
      <span>{on.label}</span>
      <input
        ref={input}
        name={on.name}
        {...({ type: on.type ?? 'text' } as { type: 'text' })}
        value={on.value}
        autocomplete={on.autocomplete ?? 'off'}
        inputMode={on.numeric ? 'numeric' : undefined}
        list={list}
        required={on.required ?? false}
        aria-invalid={wrong !== null}
        onInput={event => on.onInput(event.currentTarget.value)}
      />
      {list !== undefined && (
        <datalist id={list}>
          {on.suggestions?.map(value => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
      {on.hint !== undefined && <small class="soft">{on.hint}</small>}
      <Wrong says={wrong} />
    </label>
  );
}

/** One of a few, as the system shows them. */
export function Choice(on: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  name?: string;
  wrong?: string | null;
  /** A sentence below it. */
  hint?: string;
  /** Nothing is chosen while its value is empty, and the form waits for a choice. */
  required?: boolean;
  onChoose(value: string): void;
  onFocus?(): void;
}) {
  return (
    <label class="field">
      <span>{on.label}</span>
      <select
        name={on.name}
        value={on.value}
        required={on.required ?? false}
        onFocus={on.onFocus}
        onChange={event => on.onChoose(event.currentTarget.value)}
      >
        {on.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {on.hint !== undefined && <small class="soft">{on.hint}</small>}
      <Wrong says={on.wrong} />
    </label>
  );
}
