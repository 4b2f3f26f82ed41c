/** A switch with what it means beside it. */
export function Toggle(on: {
  label: string;
  text?: string;
  value: boolean;
  id?: string;
  wrong?: string | null;
  onChange(value: boolean): void;
}) {
  return (
    <label class="toggle" id={on.id}>
      <input type="checkbox" checked={on.value} onChange={event => on.onChange(event.currentTarget.checked)} />
      <span>
        {on.label}
        {on.text !== undefined && <small>{on.text}</small>}
        <Wrong says={on.wrong} />
      </span>
    </label>
  );
}

/** Text of several lines. */
export function Area(on: {
  label: string;
  name: string;
  value: string;
  wrong?: string | null;
  onInput(value: string): void;
}) {
  return (
    <label class="field">
      <span>{on.label}</span>
      <textarea
        name={on.name}
        rows={3}
        value={on.value}
        aria-invalid={(on.wrong ?? null) !== null}
        onInput={event => on.onInput(event.currentTarget.value)}
      />
      <Wrong says={on.wrong} />
    </label>
  );
}

/** One of a few that are all seen at once. `as`: in one line, or each a tile of its own. */
export function Segments(on: {
  label: string;
  as?: 'line' | 'tiles';
  name: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChoose(value: string): void;
}) {
  return (
    <fieldset class={on.as === 'tiles' ? 'segments tiles' : 'segments'}>
      <legend class="unseen">{on.label}</legend>
      {on.options.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name={on.name} checked={value === on.value} onChange={() => on.onChoose(value)} />
          <span dir="auto">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The sentence of a field that was refused. */
export function Wrong({ says }: { says: string | null | undefined }) {
  if (says === null || says === undefined) return null;
  return (
    <span class="wrong" role="alert">
      {says}
    </span>
  );
}
