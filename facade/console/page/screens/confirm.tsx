import { useState } from 'preact/hooks';
import { Icon } from '../../design/icon.tsx';
import { LanguageChoice } from '../app/language-choice.tsx';
import { faultOf, sessions } from '../rpc/rpc.ts';
import { confirmSecret } from '../way/link.ts';
import { go } from '../way/router.ts';
import { words } from '../words.ts';

/**
 * Asks whether an address is its reader's. Opened by the link of an invitation, whoever is signed in; nothing happens
 * before the button is pressed, as programs that check mail open links too.
 */
export function ConfirmScreen() {
  const say = words().signIn.confirm;
  const [account, confirmed] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const [working, setWorking] = useState(false);

  async function confirm() {
    setWorking(true);
    setWrong(null);
    try {
      confirmed((await sessions.confirmAddress({ secret: confirmSecret.value })).accountName);
    } catch (fault) {
      const { kind, message } = faultOf(fault);
      setWrong(kind === 'away' ? words().signIn.away : message);
    } finally {
      setWorking(false);
    }
  }

  function leave() {
    go('./', 'in_place');
    confirmSecret.value = '';
  }

  return (
    <main class="plain stack">
      <div class="brand">
        <Icon name="bell" />
        Tocsin
      </div>
      <h1>{say.title}</h1>
      {wrong !== null && (
        <p class="notice bad" role="alert">
          {wrong}
        </p>
      )}
      {account === null ? (
        <>
          <p>{say.text}</p>
          <button type="button" class="button" disabled={working} onClick={() => void confirm()}>
            {say.do}
          </button>
        </>
      ) : (
        <>
          <p class="notice good" role="status" dir="auto">
            {say.done(account)}
          </p>
          <button type="button" class="button" onClick={leave}>
            {say.goOn}
          </button>
        </>
      )}
      <LanguageChoice />
    </main>
  );
}
