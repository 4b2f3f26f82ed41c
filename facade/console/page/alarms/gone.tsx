import { Empty } from '../../design/parts.tsx';
import type { Loaded } from '../load.ts';
import { addressOf } from '../router.ts';
import { Waiting } from '../screens/home.tsx';
import { wordsOf } from '../words.ts';

/** Stands where there is no source to show: not yet, or there is none, which sounds the same for what is another account's. */
export function NotThere({ on }: { on: Loaded<unknown> & { again(): void } }) {
  const say = wordsOf('alarms');
  if (on.fault?.kind !== 'not_found' && on.fault?.kind !== 'refused') return <Waiting on={on} />;
  return (
    <div class="card">
      <Empty icon="search" of="screen" title={say.gone.title} text={say.gone.text}>
        <a href={addressOf('alarms')} data-screen>
          {say.all}
        </a>
      </Empty>
    </div>
  );
}
