import { useState } from 'preact/hooks';
import { wordsOf } from '../words.ts';

/** Seconds in a unit, largest first. */
const UNITS = [3_600, 60, 1];

/** Edits a duration in the unit that people would say. Empty is zero. What is typed stays as typed until the field is left. */
export function SpanField(on: {
  label: string;
  name: string;
  seconds: number;
  wrong: string | null;
  onChange(seconds: number): void;
}) {
  const { units, unit: unitLabel } = wordsOf('policies').form;
  const [chosen, choose] = useState(() => unitOf(on.seconds));
  const [typed, keep] = useState<string | null>(null);
  const unit = typed !== null || on.seconds % chosen === 0 ? chosen : unitOf(on.seconds);
  const wrongId = `${on.name}-wrong`;
  return (
    <fieldset class="field span">
      <legend>{on.label}</legend>
      <div>
        <input
          type="number"
          name={on.name}
          min={0}
          step="any"
          inputMode="decimal"
          aria-label={on.label}
          aria-invalid={on.wrong !== null}
          aria-describedby={on.wrong === null ? undefined : wrongId}
          value={typed ?? on.seconds / unit}
          onInput={event => {
            const { value } = event.currentTarget;
            choose(unit);
            keep(value);
            on.onChange(Math.round(Number(value) * unit));
          }}
          onBlur={() => keep(null)}
        />
        <select
          aria-label={`${on.label}: ${unitLabel}`}
          value={String(unit)}
          onChange={event => {
            const next = Number(event.currentTarget.value);
            choose(next);
            on.onChange((on.seconds / unit) * next);
          }}
        >
          {UNITS.map(each => (
            <option key={each} value={String(each)}>
              {units[each]}
            </option>
          ))}
        </select>
      </div>
      {on.wrong !== null && (
        <span class="wrong" role="alert" id={wrongId}>
          {on.wrong}
        </span>
      )}
    </fieldset>
  );
}

function unitOf(seconds: number): number {
  return seconds === 0 ? 60 : UNITS.find(unit => seconds % unit === 0)!;
}
