import type { ComponentChildren } from 'preact';
import { Empty } from '../../design/parts.tsx';
import { may } from '../rpc/permissions.ts';
import { addressOf } from '../way/router.ts';
import { words } from '../words.ts';
import { Delete } from './delete.tsx';

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

/** Shows the name of a thing, a line below it, and its buttons for those who may use them. */
export function ThingHead(props: {
  name: string;
  deletes: { title(name: string): string; text: string };
  children?: ComponentChildren;
  onEdit(): void;
  onDelete(): Promise<unknown>;
  onDeleted(): void;
}) {
  const { name, deletes } = props;
  return (
    <div class="head top">
      <div class="stack">
        <h1 dir="auto">{name}</h1>
        {props.children}
      </div>
      {may('configure') && (
        <div class="do">
          <button type="button" class="button quiet" onClick={props.onEdit}>
            {words().edit}
          </button>
          <Delete title={deletes.title(name)} text={deletes.text} act={props.onDelete} onDone={props.onDeleted} />
        </div>
      )}
    </div>
  );
}
