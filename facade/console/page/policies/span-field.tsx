import { useState } from 'preact/hooks';
import { wordsOf } from '../words.ts';

/** Seconds in a unit, largest first. */
const UNITS = [3_600, 60, 1];

/** Edits a duration in the unit that people would say. Empty is zero. What is typed stays as typed until the field is left. */
export function SpanField(props: {
  label: string;
  name: string;
  seconds: number;
  wrong: string | null;
  onChange(seconds: number): void;
}) {
  const { units, unit: unitLabel } = wordsOf('policies').form;
  const [chosen, choose] = useState(() => unitOf(props.seconds));
  const [typed, keep] = useState<string | null>(null);
  const unit = typed !== null || props.seconds % chosen === 0 ? chosen : unitOf(props.seconds);
  const wrongId = `${props.name}-wrong`;
  return (
    <fieldset class="field span">
      <legend>{props.label}</legend>
      <div>
        <input
          type="number"
          name={props.name}
          min={0}
          step="any"
          inputMode="decimal"
          aria-label={props.label}
          aria-invalid={props.wrong !== null}
          aria-describedby={props.wrong === null ? undefined : wrongId}
          value={typed ?? props.seconds / unit}
          onInput={event => {
            const { value } = event.currentTarget;
            choose(unit);
            keep(value);
            props.onChange(Math.round(Number(value) * unit));
          }}
          onBlur={() => keep(null)}
        />
        <select
          aria-label={`${props.label}: ${unitLabel}`}
          value={String(unit)}
          onChange={event => {
            const next = Number(event.currentTarget.value);
            choose(next);
            props.onChange((props.seconds / unit) * next);
          }}
        >
          {UNITS.map(each => (
            <option key={each} value={String(each)}>
              {units[each]}
            </option>
          ))}
        </select>
      </div>
      {props.wrong !== null && (
        <span class="wrong" role="alert" id={wrongId}>
          {props.wrong}
        </span>
      )}
    </fieldset>
  );
}

function unitOf(seconds: number): number {
  return seconds === 0 ? 60 : UNITS.find(unit => seconds % unit === 0)!;
}
