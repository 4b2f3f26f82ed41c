import type { ComponentChildren } from 'preact';
import { Confirm } from '../../design/parts.tsx';
import { words } from '../words.ts';
import type { Doing, Refusal } from './edit.tsx';

/** Asks once before an action, and shows a refusal in the dialog. Calls `onEnd` once it is done or cancelled. */
export function ConfirmAct(on: {
  doing: Doing;
  title: string;
  text: string;
  yes: string;
  tone?: 'live' | 'plain';
  children?: ComponentChildren;
  act(): Promise<unknown>;
  onEnd(how: 'done' | 'given_up'): void;
  onRefused?(refusal: Refusal): void;
}) {
  const { doing, title, text, yes, tone = 'live' } = on;
  const { refusal } = doing;

  async function act() {
    const result = await doing.run(on.act);
    if (result === 'done') on.onEnd('done');
    else on.onRefused?.(result);
  }

  return (
    <Confirm
      title={title}
      text={text}
      yes={yes}
      no={words().cancel}
      tone={tone}
      wrong={refusal === null ? null : refusal.kind === 'conflict' ? words().conflict.title : refusal.message}
      working={doing.is === 'working'}
      onYes={() => void act()}
      onNo={() => {
        doing.forget();
        on.onEnd('given_up');
      }}
    >
      {on.children}
    </Confirm>
  );
}
