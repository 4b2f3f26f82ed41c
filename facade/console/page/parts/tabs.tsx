import { addressOf } from '../way/router.ts';

/** Shows the tabs of a screen, each with an address of its own. */
export function Tabs(props: {
  label: string;
  now: string;
  tabs: readonly (readonly [address: string, label: string])[];
}) {
  return (
    <nav class="tabs" aria-label={props.label}>
      {props.tabs.map(([address, label]) => (
        <a
          key={address}
          href={addressOf(address)}
          data-screen
          aria-current={address === props.now ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}
