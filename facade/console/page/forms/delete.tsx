import { useState } from 'preact/hooks';
import { words } from '../words.ts';
import { ConfirmAct } from './confirm-act.tsx';
import { Refused, useDoing } from './edit.tsx';

/** Shows the button that deletes a thing, after one question. If something still uses it, says what, with links. */
export function Delete(props: {
  title: string;
  text: string;
  /** What the button says where it is not "Delete". */
  label?: string;
  /** Says to those who cannot see its row whose button it is. */
  of?: string;
  /** `row`: in a row of a list. `last`: below all that there is to a thing. */
  place?: 'head' | 'row' | 'last';
  act(): Promise<unknown>;
  onDone?(): void;
}) {
  const [is, now] = useState<'idle' | 'asking'>('idle');
  const doing = useDoing();
  const { title, text, act, place = 'head' } = props;
  const label = props.label ?? words().remove;
  const { refusal } = doing;
  return (
    <>
      <button
        type="button"
        class={LOOKS[place]}
        aria-label={props.of === undefined ? undefined : `${label}: ${props.of}`}
        onClick={() => {
          doing.forget();
          now('asking');
        }}
      >
        {label}
      </button>
      {is === 'asking' && (
        <ConfirmAct
          doing={doing}
          title={title}
          text={text}
          yes={place === 'last' ? words().remove : label}
          act={act}
          onEnd={how => {
            now('idle');
            if (how === 'done') props.onDone?.();
          }}
          onRefused={({ users }) => users.length > 0 && now('idle')}
        />
      )}
      {is === 'idle' && refusal !== null && refusal.users.length > 0 && <Refused on={doing} />}
    </>
  );
}

const LOOKS = { head: 'button quiet', row: 'button bare', last: 'button bare danger' } as const;
