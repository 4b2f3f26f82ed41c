import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Shell } from '../app/shell.tsx';
import { go } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { FirstAccount } from './first-account.tsx';

/** Whether an operator wants to look at the demo before they have an account of their own, on this device. */
const LOOKS = 'tocsin.demo';

/**
 * Shows an operator the Home of the demo, from which they may leave it; first of all, where there is nothing else yet, the way to an
 * account of their own. `others`: how many accounts there are besides.
 */
export function Demo({ home, others }: { home: ComponentChildren; others: number }) {
  const [looks, setLooks] = useState(localStorage.getItem(LOOKS) ?? 'no');
  const { back, title } = wordsOf('operator').first.mine;
  const look = (wanted: 'yes' | 'no') => {
    localStorage.setItem(LOOKS, wanted);
    setLooks(wanted);
  };
  if (others === 0 && looks === 'no') return <FirstAccount besides="demo" onDemo={() => look('yes')} />;
  return (
    <Shell>
      <p class="notice">{back}</p>
      <div class="do">
        <button type="button" class="button quiet" onClick={() => (others === 0 ? look('no') : go('operator'))}>
          {title}
        </button>
      </div>
      {home}
    </Shell>
  );
}
