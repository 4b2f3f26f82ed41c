import { Empty } from '../../design/parts.tsx';
import { addressOf } from '../way/router.ts';

/** Shows the link back to the list that a thing is in. */
export function Back({ to, children }: { to: string; children: string }) {
  return (
    <a class="small" href={addressOf(to)} data-screen>
      ← {children}
    </a>
  );
}

/** Says that there is no such thing. It sounds the same for one that was deleted and one of another account. `to`, `all`: its list. */
export function Gone({ say, to, all }: { say: { title: string; text: string }; to: string; all: string }) {
  return (
    <div class="card">
      <Empty icon="search" of="screen" title={say.title} text={say.text}>
        <a href={addressOf(to)} data-screen>
          {all}
        </a>
      </Empty>
    </div>
  );
}
