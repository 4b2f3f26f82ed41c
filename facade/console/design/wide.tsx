import type { ComponentChildren } from 'preact';

/** Holds what may be wider than a phone, such as a table: it scrolls by itself, by keyboard too. */
export function Wide({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard (WCAG 2.1.1).
    <section class="card scrolls" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
