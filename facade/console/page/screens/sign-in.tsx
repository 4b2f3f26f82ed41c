import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../design/icon.tsx';
import { Field } from '../../design/parts.tsx';
import { DocsLink } from '../app/docs-link.tsx';
import { LanguageChoice } from '../app/language-choice.tsx';
import { isOpenLine } from '../app/line.ts';
import { faultOf, READ, sessions } from '../rpc/rpc.ts';
import { loadSession } from '../rpc/session.ts';
import { linkSecret } from '../way/link.ts';
import { addressOf, go, path, query, screenNamed } from '../way/router.ts';
import { language, words } from '../words.ts';

type Way = NonNullable<Parameters<typeof sessions.signIn>[0]['way']>;

/** Signs a person in. Says what Tocsin is to whoever comes for the first time. */
export function SignInScreen() {
  const say = words().signIn;
  return (
    <main class="door">
      <section>
        <div class="brand">
          <Icon name="bell" />
          Tocsin
        </div>
        <h1>{say.headline}</h1>
        <p class="lead">{say.lead}</p>
        <ul class="points">
          {say.points.map(point => (
            <li key={point}>
              <Icon name="check" />
              {point}
            </li>
          ))}
        </ul>
      </section>
      <div class="stack">
        <section class="card" aria-labelledby="sign-in">
          <h2 id="sign-in">{say.title}</h2>
          {screenWanted() !== '' && <p class="soft">{say.ended}</p>}
          <Ways />
          {isOpenLine() && <p class="soft small">{words().openLine}</p>}
        </section>
        <div class="beside-door">
          <LanguageChoice />
          <DocsLink />
        </div>
      </div>
    </main>
  );
}

/**
 * Returns the screen that opens after the sign-in: the present one, or the one from which an identity provider was tried.
 * Empty: the first one.
 */
function screenWanted(): string {
  const isHere = path.value !== '' && path.value !== 'sign-in';
  return isHere ? path.value + location.search : (query.value.get('to') ?? '');
}

/** Returns the address where the sign-in with the identity provider begins. */
function startOfOidc(): string {
  const to = screenWanted();
  return addressOf(`sign-in/oidc${to === '' ? '' : `?to=${encodeURIComponent(to)}`}`);
}

/** Returns what went wrong at the identity provider, as the address says it; null if nothing did. */
function failureNow(): string | null {
  const say = words().signIn.oidc;
  const failed = query.value.get('failed') ?? '';
  return say.failures[failed] ?? null;
}

function Ways() {
  const say = words().signIn;
  const [ways, setWays] = useState<readonly string[]>([]);
  useEffect(() => {
    // Where it cannot be learnt, the other ways are there.
    sessions.listSignInWays({}, READ).then(
      ({ ways }) => setWays(ways),
      () => {},
    );
  }, []);
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [token, setToken] = useState('');
  const [sentTo, setSentTo] = useState('');
  const link = linkSecret.value;
  const [wrong, setWrong] = useState<string | null>(failureNow);
  const [working, setWorking] = useState(false);

  async function attempt(act: () => Promise<void>) {
    setWorking(true);
    setWrong(null);
    try {
      await act();
    } catch (fault) {
      const { kind, message } = faultOf(fault);
      if (kind === 'signed_out') linkSecret.value = '';
      setWrong(kind === 'signed_out' ? say.wrong : kind === 'away' ? say.away : message);
    } finally {
      setWorking(false);
    }
  }

  const signIn = (way: Way) =>
    attempt(async () => {
      await sessions.signIn({ way });
      linkSecret.value = '';
      if (path.value === 'sign-in') go(screenNamed(screenWanted()), 'in_place');
      await loadSession();
    });
  const sendCode = () =>
    attempt(async () => {
      await sessions.startSignIn({ email, locale: language.value });
      setSentTo(email);
    });

  return (
    <>
      {wrong !== null && (
        <p class="notice bad" role="alert">
          {wrong}
        </p>
      )}
      {link !== '' && (
        <form onSubmit={doing(() => signIn({ case: 'link', value: { secret: link } }))}>
          <p class="soft">{say.link}</p>
          <Submit label={say.withLink} working={working} />
        </form>
      )}
      {link === '' && sentTo === '' && (
        <form onSubmit={doing(sendCode)}>
          <Field
            label={say.email}
            name="email"
            type="email"
            autocomplete="email"
            required
            value={email}
            onInput={setEmail}
          />
          <Submit label={say.sendCode} working={working} />
        </form>
      )}
      {link === '' && sentTo !== '' && (
        <form onSubmit={doing(() => signIn({ case: 'emailCode', value: { email: sentTo, code } }))}>
          <p class="soft" dir="auto">
            {say.codeSent(sentTo)}
          </p>
          <Field
            label={say.code}
            name="code"
            autocomplete="one-time-code"
            numeric
            focus
            value={code}
            onInput={setCode}
          />
          <Submit label={say.withCode} working={working} />
          <button type="button" class="button bare" onClick={() => setSentTo('')}>
            {say.otherEmail}
          </button>
        </form>
      )}
      {ways.includes('oidc') && link === '' && sentTo === '' && (
        <a class="button quiet" href={startOfOidc()}>
          {say.oidc.button}
        </a>
      )}
      <details>
        <summary>{say.otherWays}</summary>
        <form onSubmit={doing(() => signIn({ case: 'consoleToken', value: { token } }))}>
          <p class="soft small">{say.firstStart}</p>
          <Field label={say.token} name="token" type="password" required value={token} onInput={setToken} />
          <Submit label={say.withToken} working={working} />
        </form>
      </details>
    </>
  );
}

function Submit({ label, working }: { label: string; working: boolean }) {
  return (
    <button type="submit" class="button" disabled={working}>
      {label}
    </button>
  );
}

function doing(act: () => Promise<void>) {
  return (event: Event) => {
    event.preventDefault();
    void act();
  };
}
