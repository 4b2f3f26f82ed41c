import { Icon } from '../../design/icon.tsx';
import { enter } from '../rpc/session.ts';
import { go } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { NewAccount } from './new-account.tsx';

/**
 * What an operator finds on a deployment without any account, or with the demo alone: the way to the first one of their own, and from
 * there to its first alarm.
 */
export function FirstAccount({ besides, onDemo }: { besides: 'nothing' | 'demo'; onDemo?(): void }) {
  const say = wordsOf('operator').first;
  const { title, text } = besides === 'demo' ? say.mine : say;
  return (
    <main class="plain stack">
      <div class="brand">
        <Icon name="bell" />
        Tocsin
      </div>
      <h1>{title}</h1>
      <p class="soft">{text}</p>
      <NewAccount
        of="screen"
        onDone={id => {
          go('start', 'in_place');
          void enter(id);
        }}
      />
      {besides === 'demo' && (
        <button type="button" class="button quiet" onClick={onDemo}>
          {say.mine.demo}
        </button>
      )}
    </main>
  );
}
