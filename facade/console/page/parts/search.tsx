import { Field } from '../../design/parts.tsx';
import { filter, query } from '../way/router.ts';

/** Searches a list by name; the search stands in the address. */
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
