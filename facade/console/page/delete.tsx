import { useState } from 'preact/hooks';
import { Confirm } from '../design/parts.tsx';
import { Refused, useDoing } from './edit.tsx';
import { words } from './words.ts';

/** The button that deletes a thing, with one question before. What still uses it is said with links to it. */
export function Delete(on: {
  title: string;
  text: string;
  /** What the buttons say where it is not "Delete". */
  label?: string;
  act(): Promise<unknown>;
  onDone(): void;
}) {
  const [is, now] = useState<'idle' | 'asking'>('idle');
  const doing = useDoing();
  const label = on.label ?? words().remove;

  async function act() {
    const result = await doing.run(on.act);
    if (result === 'done') return on.onDone();
    if (result.users.length > 0) now('idle');
  }

  const { refusal } = doing;
  return (
    <>
      <button
        type="button"
        class="button quiet"
        onClick={() => {
          doing.forget();
          now('asking');
        }}
      >
        {label}
      </button>
      {is === 'asking' && (
        <Confirm
          title={on.title}
          text={on.text}
          yes={label}
          no={words().cancel}
          tone="live"
          wrong={refusal === null ? null : refusal.kind === 'conflict' ? words().conflict.title : refusal.message}
          working={doing.is === 'working'}
          onYes={() => void act()}
          onNo={() => now('idle')}
        />
      )}
      {is === 'idle' && refusal !== null && refusal.users.length > 0 && <Refused on={doing} />}
    </>
  );
}
