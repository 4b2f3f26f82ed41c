import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startFacade } from '../../../facade/app.ts';
import { createServicesTransport } from '../../../facade/rpc/transport.ts';
import { createBrowsing } from '../../support/browsing.ts';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { startHangingHosts } from '../../support/hanging.ts';
import { startOidcProvider } from '../../support/oidc-provider.ts';
import { eventually } from '../../support/wait.ts';
import { startWorld } from '../../support/world.ts';

const PUBLIC = 'https://alarm.example/tocsin';
const HOST = 'alarm.example';

/** What the provider says of whoever signs in there: the truth, but for two. */
function vouches(email: string) {
  if (email === 'unverified@example.com') return { email: 'anna@example.com', email_verified: false };
  return email === 'silent@example.com' ? {} : { email, email_verified: true };
}

/** A house with Anna as its owner, behind a path of a proxy with TLS, and a provider. */
async function house({
  publicUrl = PUBLIC,
  openLine = 'taken',
  issuer,
}: {
  publicUrl?: string;
  openLine?: 'taken' | 'refused';
  /** Another provider than the one that is started. */
  issuer?: string;
} = {}) {
  const provider = await startOidcProvider(vouches);
  const world = await startWorld({ oidc: { ...provider.settings, ...(issuer !== undefined && { issuer }) } });
  const elms = await newOwner(world, 'Elms');
  await elms.console.members.inviteMember({ email: 'anna@example.com', role: 'owner', name: 'Anna' });
  const log = pino({ level: 'silent' });
  const services = createServicesTransport([world.rpcUrl], null, log);
  const config = { host: '127.0.0.1', port: 0, publicUrl, tls: null, rateLimits: 'on' } as const;
  const facade = await startFacade({
    transport: services.transport,
    config: { ...config, trustedProxies: [], consoleOpenLine: openLine, metrics: 'here', logLevel: 'silent' },
    log,
  });
  onTestFinished(async () => {
    await facade.close();
    services.close();
  });
  provider.serve(`${publicUrl}/sign-in/oidc/callback`);
  const browse = () =>
    createBrowsing(url =>
      url.href.startsWith(publicUrl) ? new URL(facade.url + url.href.slice(publicUrl.length)) : url,
    );
  return { world, provider, facade, elms, browse };
}

/** Signs in at the provider as somebody; gives where that ended. */
async function signInAs(
  browsing: ReturnType<typeof createBrowsing>,
  email: string,
  start = `${PUBLIC}/sign-in/oidc?at=public`,
) {
  const login = await browsing.open(start);
  const action = new URL(/action="([^"]+)"/.exec(login.html)![1]!, login.url).href;
  return { login, end: await browsing.open(action, { prompt: 'login', login: email, password: 'any' }) };
}

test('a member whose email the provider has verified is signed in, behind a path of a proxy too', async () => {
  const { world, elms, browse } = await house();
  const browsing = browse();
  const { login, end } = await signInAs(browsing, 'Anna@Example.com');
  const asked = new URL(login.trail.find(url => url.includes('code_challenge'))!).searchParams;
  expect(asked.get('code_challenge_method')).toBe('S256');
  expect(asked.get('redirect_uri')).toBe(`${PUBLIC}/sign-in/oidc/callback`);
  for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name), name).toMatch(/^[\w-]{40,}$/);
  expect(login.cookies[0]).toMatch(
    /^__Host-tocsin-sign-in=v1\.[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
  );
  expect([end.url, end.response.status]).toEqual([`${PUBLIC}/`, 200]);
  const { '__Host-tocsin-session': secret = '', ...others } = browsing.cookiesOf(HOST);
  expect(Object.keys(others)).toEqual(['__Host-tocsin-browser']);
  expect(end.cookies.find(cookie => cookie.startsWith('__Host-tocsin-session'))).toMatch(
    /HttpOnly; SameSite=Strict;.*Secure/,
  );
  const { member, accounts } = await consoleOf(world, secret).sessions.getSession({});
  expect(member).toMatchObject({ name: 'Anna', role: 'owner' });
  expect(accounts.map(({ id }) => id)).toEqual([elms.accountId]);
  expect([...login.trail, ...end.trail].join(' ')).not.toContain(secret);
});

test('leads to the screen that was wanted, and nowhere but to ours', async () => {
  const { browse } = await house();
  for (const [to, wanted] of [
    ['incidents/abc?x=1', 'incidents/abc?x=1'],
    ['', ''],
    ['https://evil.example/', ''],
    ['//evil.example/', ''],
    ['/\\evil.example', ''],
    ['../elsewhere', ''],
    ['javascript:alert(1)', ''],
    ['x\r\ny z', 'xy%20z'],
    ['a'.repeat(501), ''],
  ] as const) {
    const { end } = await signInAs(browse(), 'anna@example.com', `${PUBLIC}/sign-in/oidc?to=${encodeURIComponent(to)}`);
    expect(end.url, to).toBe(`${PUBLIC}/${wanted}`);
  }
});

test.each([
  'stranger@example.net',
  'unverified@example.com',
  'silent@example.com',
])('nobody else is, and all in the same words: %s', async email => {
  const { world, browse } = await house();
  const browsing = browse();
  const { end } = await signInAs(browsing, email);
  expect(end.url).toBe(`${PUBLIC}/sign-in?failed=refused`);
  expect(browsing.cookiesOf(HOST)).toEqual({});
  expect(await world.rows('SELECT FROM console_session')).toEqual([]);
});

test('an answer counts once, in the browser that asked, and for what it asked', async () => {
  const { world, browse } = await house();
  const anna = browse();
  const { end } = await signInAs(anna, 'anna@example.com');
  const callback = end.trail.find(url => url.includes('/callback?'))!;
  const refused = `${PUBLIC}/sign-in?failed=refused`;
  const sessions = () => world.rows('SELECT FROM console_session');
  expect(await sessions()).toHaveLength(1);
  expect((await anna.open(callback)).url, 'again').toBe(refused);
  expect((await browse().open(callback)).url, 'in another browser').toBe(refused);

  const mallory = browse();
  await mallory.open(`${PUBLIC}/sign-in/oidc?at=public`);
  expect((await mallory.open(callback)).url, 'in one that asked something else').toBe(refused);
  for (const query of ['', '?code=a&state=b', '?error=access_denied&state=b', `?code=${'a'.repeat(9_000)}`]) {
    await mallory.open(`${PUBLIC}/sign-in/oidc?at=public`);
    expect((await mallory.open(`${PUBLIC}/sign-in/oidc/callback${query}`)).url, query.slice(0, 40)).toBe(refused);
  }
  expect(await sessions()).toHaveLength(1);
});

test('a provider that is away is said to be, and asked again later', async () => {
  const { provider, browse } = await house();
  provider.stop();
  expect((await browse().open(`${PUBLIC}/sign-in/oidc?at=public`)).url).toBe(`${PUBLIC}/sign-in?failed=away`);
  provider.serve(`${PUBLIC}/sign-in/oidc/callback`);
  const { end } = await signInAs(browse(), 'anna@example.com');
  expect(end.url).toBe(`${PUBLIC}/`);
});

test('a provider that hangs keeps a few waiting, and nobody else: the others are told at once, and devices are answered', async () => {
  const hanging = await startHangingHosts(1);
  onTestFinished(hanging.stop);
  const { world, facade } = await house({ publicUrl: 'http://alarm.local', issuer: hanging.urls[0]! });
  const beside = await world.account();
  const left = new AbortController();
  onTestFinished(() => left.abort());
  let told = 0;
  for (let nth = 0; nth < 40; nth++) {
    const asked = fetch(`${facade.url}/sign-in/oidc?at=public`, { redirect: 'manual', signal: left.signal });
    asked.then(
      ({ headers }) => {
        if (headers.get('location')?.endsWith('failed=away')) told += 1;
      },
      () => {},
    );
  }
  await eventually(() => told >= 36, { what: 'those beyond four to be told', within: 8_000 });
  const { status } = await fetch(`${facade.url}/v1/integration/state`, {
    headers: { 'x-api-key': await beside.key() },
  });
  expect([told, status]).toEqual([36, 200]);
});

test('begins at the public address, whatever the browser came by', async () => {
  const { facade, browse } = await house();
  const { trail } = await browse().open(`${facade.url}/sign-in/oidc`);
  expect(trail[1]).toBe(`${PUBLIC}/sign-in/oidc?at=public`);
  expect(trail.length).toBeGreaterThan(3);
});

test('over an open line nobody signs in where that is refused', async () => {
  const publicUrl = 'http://alarm.local';
  const { browse } = await house({ publicUrl, openLine: 'refused' });
  const { url, cookies } = await browse().open(`${publicUrl}/sign-in/oidc?at=public`);
  expect(url).toBe(`${publicUrl}/sign-in?failed=open_line`);
  expect(cookies.join()).not.toContain('=v1.');
});

test('the page is told where it is set up, and without it there is nothing to begin', async () => {
  const { world } = await house();
  expect((await consoleOf(world, 'nothing').sessions.listSignInWays({})).ways).toContain('oidc');
  const without = await startWorld();
  const { sessions } = consoleOf(without, 'nothing');
  expect((await sessions.listSignInWays({})).ways).toEqual(['email_code', 'link', 'console_token']);
  expect(await refusal(sessions.startOidcSignIn({ callbackUrl: `${PUBLIC}/x` }))).toMatchObject({
    code: 'FailedPrecondition',
  });
  const way = { case: 'oidcAnswer', value: { flow: 'v1.a', query: 'code=a' } } as const;
  expect(await refusal(sessions.signIn({ way }))).toMatchObject({ code: 'Unauthenticated' });
});
