import { createClient } from '@connectrpc/connect';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { SessionService } from '../../../gen/tocsin/console/v1/sessions_pb.ts';
import { consoleOf, refusal } from '../../support/console.ts';
import { twoHouses } from '../../support/members.ts';
import { codeIn, wrongCode } from '../../support/verified.ts';
import { emailCode, link } from './sign-in-rig.ts';

/* DECISIONS.md "Sign-in": a stranger who knows an address keeps nobody from signing in. */

const ANNA = 'anna@example.com';
const HOME = '192.0.2.10';

async function aStreet() {
  const { world, smtp, elms } = await twoHouses();
  const mailsTo = (email: string) => smtp.mails.filter(mail => mail.envelope.to.includes(email));

  /** The sign-in as a facade passes it on: from an address, in a browser; empty: none. */
  function at(address: string, browser = '') {
    const client = createClient(SessionService, world.services.transport);
    const headers = {
      'x-tocsin-client': `${address} A browser`,
      ...(browser === '' ? {} : { 'x-tocsin-browser': browser }),
    };
    return {
      ask: (email = ANNA) => client.startSignIn({ email, locale: 'en' }, { headers }),
      signIn: (code: string, email = ANNA) => client.signIn(emailCode(email, code), { headers }),
      withLink: (secret: string) => client.signIn(link(secret), { headers }),
      /** Asks, and gives the code; null: none came. */
      async code(email = ANNA): Promise<string | null> {
        const before = mailsTo(email).length;
        await client.startSignIn({ email, locale: 'en' }, { headers });
        await world.settle();
        const mail = mailsTo(email)[before];
        return mail === undefined ? null : codeIn(mail.subject ?? '');
      },
    };
  }
  return { world, elms, at, mailsTo };
}

const browser = (letter: string) => letter.repeat(32);
const network = (n: number) => `198.51.${n}.7`;

test('strangers from many networks use up what strangers get, and keep nobody from signing in who did before', async () => {
  const { world, elms, at, mailsTo } = await aStreet();
  const own = at(HOME, browser('a'));
  const { browser: known } = await own.signIn((await own.code())!);
  expect(known).toMatch(/^a{32}\.[\w-]{43}$/);
  await world.advance(60);

  const before = mailsTo(ANNA).length;
  for (let n = 0; n < 30; n++) await at(network(n), browser(String.fromCharCode(98 + (n % 20)))).ask();
  await world.settle();
  // Less what she asked for herself before anybody knew her.
  expect(mailsTo(ANNA).length - before).toBe(9);
  expect(await at(network(200)).code()).toBe(null);

  // Wherever her browser is, and whatever browser it is at home.
  const away = at(network(201), known);
  await away.signIn((await away.code())!);
  const other = at('192.0.2.77', browser('z'));
  await other.signIn((await other.code())!);
  // In a new browser on a journey there is the link, and the code again a day later.
  const { url } = await consoleOf(world, elms.token).sessions.createSignInLink({});
  expect((await at(network(202)).withLink(url.split('#')[1]!)).browser).toBe('');
  expect(await at(network(202)).code()).toBe(null);
  expect(await at(network(202)).code('otto@example.org')).not.toBe(null);
  await world.advance(86_400);
  expect(await at(network(202)).code()).not.toBe(null);
});

test('one network gets a code a minute for somebody and five a day, whichever of its addresses asks', async () => {
  const { world, at } = await aStreet();
  const neighbours = ['203.0.113.1', '203.0.113.250', '::ffff:203.0.113.7'];
  for (const address of neighbours.slice(1)) {
    await at(neighbours[0]!).code();
    expect(await at(address).code()).toBe(null);
  }
  const codes: (string | null)[] = [];
  for (let hour = 0; hour < 6; hour++) {
    await world.advance(3_600);
    codes.push(await at(neighbours[hour % 3]!).code());
  }
  expect(codes.map(code => code !== null)).toEqual([true, true, true, true, false, false]);
  expect(await at('2001:db8::1').code()).not.toBe(null);
  expect(await at('2001:db8::ffff:2').code()).toBe(null);
});

test('a code is good where it was asked for: nobody elsewhere replaces it, uses up its guesses, or signs in with it', async () => {
  const { at } = await aStreet();
  const own = at(HOME, browser('a'));
  const code = (await own.code())!;
  const stranger = at(network(1), browser('b'));
  const theirs = (await stranger.code())!;
  for (let guess = 0; guess < 6; guess++) await refusal(stranger.signIn(wrongCode(theirs)));
  for (const elsewhere of [stranger, at(HOME, browser('c')), at(HOME)]) {
    expect(await refusal(elsewhere.signIn(code))).toMatchObject({ code: 'Unauthenticated' });
  }
  await own.signIn(code);
  expect(await refusal(own.signIn(code))).toMatchObject({ code: 'Unauthenticated' });
});

test('a wrong guess is as much work for a member as for anybody else, so that no answer comes sooner; and it fills no disk', async () => {
  const { world, at } = await aStreet();
  const NOBODY = 'nobody@example.net';
  const guessing = at(HOME, browser('a'));
  const code = (await guessing.code())!;
  expect(await guessing.code(NOBODY)).toBe(null);

  const work = async (email: string, from = guessing) => {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      expect(await refusal(from.signIn(wrongCode(code), email))).toMatchObject({ code: 'Unauthenticated' });
      const asked = query.mock.calls.map(([asked], nth) => ({
        client: query.mock.contexts[nth],
        text: (asked as { text?: string }).text ?? String(asked),
      }));
      // The engine works on beside it: what counts is the transaction that reads codes.
      const client = asked.find(({ text }) => text.includes('sign_in'))?.client;
      const ofClient = asked.filter(one => one.client === client).map(({ text }) => text);
      const codes = ofClient.findIndex(text => text.includes('sign_in'));
      const texts = ofClient.slice(ofClient.lastIndexOf('BEGIN', codes), ofClient.indexOf('COMMIT', codes) + 1);
      const [writes, reads] = [/^\s*(INSERT|UPDATE|DELETE)/i, /^\s*SELECT/i];
      const kinds = texts.map(text => (writes.test(text) ? 'write' : reads.test(text) ? 'read' : text));
      return kinds.filter(kind => /^(write|read|BEGIN|COMMIT)/.test(kind));
    } finally {
      query.mockRestore();
    }
  };
  const forMember = await work(ANNA);
  expect(forMember).toContain('write');
  expect(await work(NOBODY)).toEqual(forMember);
  // A member in a browser that asked for nothing, and one whose guesses are used up.
  expect(await work(ANNA, at(network(1), browser('b')))).toEqual(forMember);
  for (let nth = 0; nth < 5; nth += 1) await work(ANNA);
  expect(await work(ANNA)).toEqual(forMember);

  const rows = async () => (await world.rows('SELECT FROM sign_in_asker')).length;
  const before = await rows();
  for (let nth = 0; nth < 300; nth += 1) await refusal(guessing.signIn('000000', `nobody${nth}@example.net`));
  expect((await rows()) - before).toBeLessThanOrEqual(256);
});

test('ten a minute may be asked for from one address; a browser that signed in before does not wait for those', async () => {
  const { world, at } = await aStreet();
  const own = at(HOME, browser('a'));
  const { browser: known } = await own.signIn((await own.code())!);
  await world.advance(60);
  for (let asked = 0; asked < 9; asked++) await at(HOME, browser('b')).ask('who@example.net');
  const proof = `${browser('b')}${known.slice(32)}`;
  for (const shown of ['', browser('a'), browser('c'), proof, 'nonsense']) {
    expect(await refusal(at(HOME, shown).ask())).toMatchObject({ code: 'ResourceExhausted' });
  }
  expect(await at(HOME, known).code()).not.toBe(null);
  // Of IPv6 whoever has one address has a whole network of them.
  for (let asked = 0; asked < 10; asked++) await at(`2001:db8::${asked}`).ask('who@example.net');
  expect(await refusal(at('2001:db8::a').ask())).toMatchObject({ code: 'ResourceExhausted' });
});

test('what is kept of who asked says neither who nor where, and goes after a day; a browser is known for 400', async () => {
  const { world, at } = await aStreet();
  const own = at(HOME, browser('a'));
  await own.signIn((await own.code())!);
  await at(network(1)).code('nobody@example.net');
  const rows = await world.rows<{ row: string }>('SELECT a::text AS row FROM sign_in_asker a');
  expect(rows.length).toBe(3);
  for (const { row } of rows) expect(row).not.toMatch(/anna|192\.0|a{32}/);
  await world.advance(2 * 86_400);
  await world.sweep();
  expect(await world.rows('SELECT count(*)::int AS n FROM sign_in_asker')).toEqual([{ n: 1 }]);
  await world.advance(402 * 86_400);
  await world.sweep();
  expect(await world.rows('SELECT count(*)::int AS n FROM sign_in_asker')).toEqual([{ n: 0 }]);
});
