import type { Difference } from './differences.ts';
import { pathOf } from './differences.ts';
import { type KnownNames, sayDifference } from './field-values.ts';

/** One field: as it was, and as it is. `inFile`: its path there, which a file's reader knows it by. */
export function Differing(props: { thing: string; of: Difference; known: KnownNames; inFile?: string }) {
  const { name, before, after } = sayDifference(props.thing, props.of, props.known);
  return (
    <li dir="auto">
      <span class="soft" title={pathOf(props.of.way)}>
        {name}:
      </span>{' '}
      {before !== null && <del>{before}</del>} {before !== null && after !== null && '→ '}
      {after !== null && <ins>{after}</ins>} {props.inFile !== undefined && <code class="soft">{props.inFile}</code>}
    </li>
  );
}
