import type { ComponentChildren } from 'preact';

/** A part of a screen that is opened when it is wanted; `says`: what there is in it, in a word. */
export function Fold({ title, says, children }: { title: string; says: string; children: ComponentChildren }) {
  return (
    <details class="card fold">
      <summary>
        <h2>{title}</h2> <span class="soft small">{says}</span>
      </summary>
      <div>{children}</div>
    </details>
  );
}
