import { Field } from '../../design/parts.tsx';
import { filter, query } from '../way/router.ts';

/** Finds by name in a list; what is looked for stands in the URL. */
export function Search({ label }: { label: string }) {
  return (
    <div class="wide">
      <Field
        label={label}
        name="search"
        type="search"
        value={query.value.get('search') ?? ''}
        onInput={search => filter({ search, show: '' })}
      />
    </div>
  );
}
