import { useEffect, useState } from 'preact/hooks';
import type { GetPhoneLinkResponse } from '../../../../gen/tocsin/console/v1/sessions_pb.ts';
import { Icon } from '../../design/icon.tsx';
import { Skeleton } from '../../design/parts.tsx';
import { LanguageChoice } from '../app/language-choice.tsx';
import { isOpenLine } from '../app/line.ts';
import { faultOf, READ, sessions } from '../rpc/rpc.ts';
import { loadSession } from '../rpc/session.ts';
import { phoneSecret } from '../way/link.ts';
import { go } from '../way/router.ts';
import { language, words, wordsOf } from '../words.ts';

/** Asks whether to sign in here as whoever shows the code. Nothing happens before the button is pressed. */
export function PhoneScreen() {
  const say = wordsOf('phone');
  const [who, found] = useState<GetPhoneLinkResponse | null>(null);
  const [wrong, setWrong] = useState<{ kind: string; message: string } | null>(null);
  const [working, setWorking] = useState(false);
  const secret = phoneSecret.value;

  async function attempt(act: () => Promise<void>) {
    setWorking(true);
    setWrong(null);
    try {
      await act();
    } catch (fault) {
      const { kind, message } = faultOf(fault);
      setWrong({ kind, message: kind === 'away' ? words().signIn.away : message });
    } finally {
      setWorking(false);
    }
  }

  const look = () => void attempt(async () => found(await sessions.getPhoneLink({ secret }, READ)));
  useEffect(look, [secret]);

  function leave() {
    go('./', 'in_place');
    phoneSecret.value = '';
  }

  const signIn = () =>
    attempt(async () => {
      await sessions.signIn({ way: { case: 'phoneLink', value: { secret } } });
      leave();
      await loadSession();
    });

  return (
    <main class="plain stack">
      <div class="brand">
        <Icon name="bell" />
        Tocsin
      </div>
      {who === null && wrong === null && <Skeleton label={words().loading} />}
      {who !== null && (
        <>
          <h1 dir="auto">{say.asks(who.kind === 'operator' ? words().signedInAs.operator! : who.name)}</h1>
          {who.accountNames.length > 0 && (
            <p dir="auto">{new Intl.ListFormat(language.value).format(who.accountNames)}</p>
          )}
          <p>{say.text}</p>
        </>
      )}
      {wrong !== null && (
        <p class="notice bad" role="alert">
          {wrong.message}
        </p>
      )}
      {who === null && wrong !== null && wrong.kind !== 'refused' && wrong.kind !== 'signed_out' && (
        <button type="button" class="button" disabled={working} onClick={look}>
          {words().tryAgain}
        </button>
      )}
      {who !== null && (
        <button type="button" class="button" disabled={working} onClick={() => void signIn()}>
          {words().signIn.withLink}
        </button>
      )}
      <button type="button" class="button quiet" onClick={leave}>
        {say.leave}
      </button>
      {isOpenLine() && <p class="soft small">{words().openLine}</p>}
      <LanguageChoice />
    </main>
  );
}
