import { Icon } from '../../design/icon.tsx';
import { loadSession } from '../rpc/session.ts';
import { go } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { NewAccount } from './new-account.tsx';

/** What an operator finds on a deployment without any account: the way to the first one, and from there to its first alarm. */
export function FirstAccount() {
  const { title, text } = wordsOf('operator').first;
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
        onDone={() => {
          go('start', 'in_place');
          void loadSession();
        }}
      />
    </main>
  );
}
