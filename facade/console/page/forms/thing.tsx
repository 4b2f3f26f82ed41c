import type { ComponentChildren } from 'preact';
import { may } from '../rpc/permissions.ts';
import { words } from '../words.ts';
import { Delete } from './delete.tsx';

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
