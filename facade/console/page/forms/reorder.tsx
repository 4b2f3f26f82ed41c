import { useState } from 'preact/hooks';
import { wordsOf } from '../words.ts';

/**
 * Two buttons that move an entry of a list; the keyboard stays with the entry. `group` names the list within its screen. Its
 * screen is fetched with the words of `people`.
 */
export function Reorder<T>(on: { all: readonly T[]; at: number; name: string; group: string; onMove(all: T[]): void }) {
  const say = wordsOf('people').form;
  const [moved, tell] = useState('');
  const last = on.all.length - 1;
  if (last === 0) return null;

  function move(to: number) {
    const all = on.all.toSpliced(on.at, 1);
    all.splice(to, 0, on.all[on.at]!);
    on.onMove(all);
    tell(say.moved(on.name, to + 1, on.all.length));
    const wanted = to < on.at ? [`up-${to}`, `down-${to}`] : [`down-${to}`, `up-${to}`];
    requestAnimationFrame(() => {
      const buttons = wanted.map(id => document.getElementById(`${on.group}-${id}`) as HTMLButtonElement | null);
      buttons.find(button => button?.disabled === false)?.focus();
    });
  }

  return (
    <span class="mover">
      <button
        type="button"
        id={`${on.group}-up-${on.at}`}
        class="button bare"
        aria-label={say.up(on.name)}
        disabled={on.at === 0}
        onClick={() => move(on.at - 1)}
      >
        ↑
      </button>
      <button
        type="button"
        id={`${on.group}-down-${on.at}`}
        class="button bare"
        aria-label={say.down(on.name)}
        disabled={on.at === last}
        onClick={() => move(on.at + 1)}
      >
        ↓
      </button>
      <span class="unseen" role="status">
        {moved}
      </span>
    </span>
  );
}
