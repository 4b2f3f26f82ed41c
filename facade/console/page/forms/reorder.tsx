import { useState } from 'preact/hooks';
import { wordsOf } from '../words.ts';

/**
 * Two buttons that move an entry of a list; the keyboard stays with the entry. `group` names the list within its screen. Its
 * screen is fetched with the words of `people`.
 */
export function Reorder<T>(props: {
  all: readonly T[];
  at: number;
  name: string;
  group: string;
  onMove(all: T[]): void;
}) {
  const say = wordsOf('people').form;
  const [moved, tell] = useState('');
  const last = props.all.length - 1;
  if (last === 0) return null;

  function move(to: number) {
    const all = props.all.toSpliced(props.at, 1);
    all.splice(to, 0, props.all[props.at]!);
    props.onMove(all);
    tell(say.moved(props.name, to + 1, props.all.length));
    const wanted = to < props.at ? [`up-${to}`, `down-${to}`] : [`down-${to}`, `up-${to}`];
    requestAnimationFrame(() => {
      const buttons = wanted.map(id => document.getElementById(`${props.group}-${id}`) as HTMLButtonElement | null);
      buttons.find(button => button?.disabled === false)?.focus();
    });
  }

  return (
    <span class="mover">
      <button
        type="button"
        id={`${props.group}-up-${props.at}`}
        class="button bare"
        aria-label={say.up(props.name)}
        disabled={props.at === 0}
        onClick={() => move(props.at - 1)}
      >
        ↑
      </button>
      <button
        type="button"
        id={`${props.group}-down-${props.at}`}
        class="button bare"
        aria-label={say.down(props.name)}
        disabled={props.at === last}
        onClick={() => move(props.at + 1)}
      >
        ↓
      </button>
      <span class="unseen" role="status">
        {moved}
      </span>
    </span>
  );
}
