import { Icon } from '../../design/icon.tsx';
import { Skeleton } from '../../design/parts.tsx';
import type { Query } from '../live/use-query.ts';
import { words } from '../words.ts';

/** Stands where nothing is shown yet: says that it is being read, or why it could not be. */
export function Waiting({ on }: { on: Query<unknown> & { again(): void } }) {
  if (on.fault === null) return <Skeleton label={words().loading} />;
  return (
    <div class="card empty" role="alert">
      <Icon name="alert" />
      <p>{words().fault(on.fault.message)}</p>
      <button type="button" class="button quiet" onClick={on.again}>
        {words().tryAgain}
      </button>
    </div>
  );
}
