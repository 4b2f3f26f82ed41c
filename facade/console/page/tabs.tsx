import { useEffect, useRef } from 'preact/hooks';
import { addressOf } from './router.ts';

/** Parts of one screen, each with an address of its own. */
export function Tabs(on: { label: string; now: string; tabs: readonly (readonly [address: string, label: string])[] }) {
  const nav = useRef<HTMLElement>(null);
  // On a phone the one that is shown may be beyond the edge.
  useEffect(
    () => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [on.now],
  );
  return (
    <nav ref={nav} class="tabs" aria-label={on.label}>
      {on.tabs.map(([address, label]) => (
        <a key={address} href={addressOf(address)} data-screen aria-current={address === on.now ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
