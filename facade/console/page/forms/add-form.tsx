import type { ComponentChildren } from 'preact';
import { type Doing, Refused } from './edit.tsx';

/** Shows a form that adds an entry to the list above it. `children`: its fields, of which those in `shown` show their own errors. */
export function AddForm(on: {
  doing: Doing;
  title?: string;
  shown: readonly string[];
  /** What its button says. */
  does: string;
  onAdd(): Promise<unknown>;
  /** Stands between the fields and the button. */
  below?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="stack">
      {on.title !== undefined && <h2>{on.title}</h2>}
      <form
        class="card form"
        noValidate
        onSubmit={event => {
          event.preventDefault();
          void on.onAdd();
        }}
      >
        <div class="pair">{on.children}</div>
        <Refused on={on.doing} shown={on.shown} />
        {on.below}
        <div class="choices">
          <button type="submit" class="button" disabled={on.doing.is === 'working'}>
            {on.does}
          </button>
        </div>
      </form>
    </section>
  );
}
