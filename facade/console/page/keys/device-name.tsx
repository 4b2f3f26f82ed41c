import { Field } from '../../design/parts.tsx';
import { Refused, type useDoing } from '../forms/edit.tsx';
import { may } from '../rpc/permissions.ts';

/** Asks which device a new key is for: each has a key of its own, so that it is told what tripped. */
export function DeviceName(on: {
  label: string;
  say: { device: string; deviceHint: string };
  doing: ReturnType<typeof useDoing>;
  onInput(label: string): void;
}) {
  return (
    <>
      {may('manage') && (
        <Field
          label={on.say.device}
          name="device"
          required
          value={on.label}
          hint={on.say.deviceHint}
          wrong={on.doing.wrong('label')}
          onInput={on.onInput}
        />
      )}
      <Refused on={on.doing} shown={['label']} />
    </>
  );
}
