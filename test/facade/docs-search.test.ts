import { expect, test } from 'vitest';
import { ALL_PAGES } from '../../facade/docs-pages.ts';
import { ask, type Rig, startRig } from './rig.ts';

const NO_KEY = { headers: { 'x-api-key': undefined } };

/** What a search shows: where each result leads, its heading, its page and its line, with hits in brackets. */
async function search(rig: Rig, q: string, path = '/docs/search') {
  const answer = await ask(rig, `${path}?q=${encodeURIComponent(q)}`, NO_KEY);
  const items = [
    ...answer.body.matchAll(/<li[^>]*><a href="([^"]+)"[^>]*>(.*?)<\/a> <span[^>]*>(.*?)<\/span>\n<p>(.*?)<\/p>/g),
  ];
  const hits = items.map(([, href, heading, page, line]) => ({
    href: href!,
    heading: heading!,
    page: page!,
    line: line!.replaceAll('<mark>', '[').replaceAll('</mark>', ']'),
  }));
  return { ...answer, hits, main: /<main[^>]*>([\s\S]*)<\/main>/.exec(answer.body)?.[1] ?? '' };
}

test('every page has the form, which a browser may send to this origin alone; a page without it sends none', async () => {
  const rig = await startRig();
  const others = ['/docs/search', '/docs/live', '/docs/openapi'].map(path => ({ path, language: 'en' }));
  for (const { path, language } of [...others, ...ALL_PAGES]) {
    const { body, headers } = await ask(rig, path, NO_KEY);
    const to = language === 'en' ? '/docs/search' : '/docs/de/search';
    expect(body, path).toContain(`<form class="search" role="search" action="${to}">`);
    expect(body, path).toMatch(
      /<label class="unseen" for="q">[^<]+<\/label>\n<input id="q" name="q" type="search" value=""/,
    );
    expect(headers['content-security-policy'], path).toMatch(/; form-action 'self'(;|$)/);
  }
  const lost = await ask(rig, '/nothing', { headers: { accept: 'text/html', 'x-api-key': undefined } });
  expect(lost.headers['content-security-policy']).toContain("form-action 'none'");
});

test('all words must occur in a section, those with them in the heading come first, and each leads to its heading', async () => {
  const rig = await startRig();
  const { hits, status } = await search(rig, 'test mode');
  expect(status).toBe(200);
  expect(hits[0]).toMatchObject({ href: '/docs/arming#test-mode', heading: 'Test mode', page: 'Arming guide' });
  expect(hits[0]!.line).toContain('[test]');
  const many = await search(rig, 'alarm');
  expect(many.hits.length).toBe(20);
  expect(many.main).toMatch(/\d\d+ sections have all of these words\. The first 20 are shown/);

  const [title] = (await search(rig, 'reaching people')).hits;
  expect(title).toMatchObject({ href: '/docs/people', heading: 'Reaching people' });
  expect((await search(rig, 'test zyzzyva')).hits).toEqual([]);
});

test('every result of common words leads to where it says', async () => {
  const rig = await startRig();
  for (const q of ['the', 'a', 'alarm', 'backup', 'limits', '202', 'twilio']) {
    const { hits } = await search(rig, q);
    expect(hits.length, q).toBeGreaterThan(0);
    for (const { href } of hits) {
      const [path = '', id] = href.split('#');
      const { status, body } = await ask(rig, path, NO_KEY);
      expect(status, href).toBe(200);
      if (id !== undefined) expect(body, href).toContain(` id="${id}"`);
    }
  }
});

test.each([
  ['SMTP_URL', 'SMTP_URL'],
  ['smtp_url', 'SMTP_URL'],
  ['held_by_gate', 'held_by_gate'],
  ['gate held', 'held_by_gate'],
  ['no_carrier', 'no_carrier'],
  ['--on-silence', 'silence'],
  ['/v1/panic/ID/trigger', 'panic'],
  ['ESCALÁTION', 'escalation'],
  ['escal', 'escalation'],
])('%s is found', async (q, shown) => {
  const { hits } = await search(await startRig(), q);
  expect(hits.map(({ line }) => line.replaceAll(/[[\]]/g, '').toLowerCase()).join()).toContain(shown.toLowerCase());
});

test('an excerpt is one line around its hit, and of the addresses of examples this deployment’s', async () => {
  const rig = await startRig({ config: { publicUrl: 'https://a.example/below' } });
  const { hits } = await search(rig, 'turns one get');
  for (const { line } of hits) expect(line.length).toBeLessThan(300);
  const found = await search(rig, 'curl X-API-Key arm away');
  expect(found.main).toContain('https://a.example/below');
  expect(found.main).not.toContain('localhost:8080');
});

test('nothing found says so and what to try; nothing asked shows the field', async () => {
  const rig = await startRig();
  const { status, main } = await search(rig, 'qwertzuiop');
  expect([status, main]).toEqual([
    200,
    expect.stringMatching(/No section has all of these words[\s\S]*Try fewer or shorter/),
  ]);
  for (const path of [
    '/docs/search',
    '/docs/search/',
    '/docs/search?q=',
    '/docs/search?q=%20%20',
    '/docs/search?x=alarm',
  ]) {
    const { body, status } = await ask(rig, path, NO_KEY);
    expect([path, status]).toEqual([path, 200]);
    expect(body).toContain('Type a word into the field above.');
  }
  const first = await ask(rig, '/docs/search?q=smtp&q=<b>&q[x]=1', NO_KEY);
  expect(first.body).toContain('value="smtp"');
});

test('what was typed is shown in the field as it is, and as nothing else', async () => {
  const rig = await startRig();
  for (const q of [
    '"><script>alert(1)</script>',
    "' onfocus=x()",
    '%QUERY% %MAIN%',
    '$& $1',
    'http://localhost:8080',
  ]) {
    const { body } = await search(rig, q);
    const escaped = q.replaceAll(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
    expect(body).toContain(`value="${escaped}"`);
    expect(body).not.toMatch(/<script|%QUERY%(?!")(?! )/);
  }
});

test('a search of more than 100 characters is refused with what is taken, whatever they are', async () => {
  const rig = await startRig();
  expect((await search(rig, '🔥'.repeat(100))).status).toBe(200);
  const { status, main, body } = await search(rig, 'a'.repeat(101));
  expect([status, main]).toEqual([400, expect.stringContaining('has 101 characters, and takes 100 at most')]);
  expect(body).not.toContain('aaaa');
});

test('no search takes long: its words are looked up, and nothing in them is a pattern', async () => {
  const rig = await startRig();
  await search(rig, 'alarm');
  const costs = [
    Array.from({ length: 64 }, (_, n) => n.toString(36)).join(''),
    Array.from({ length: 50 }, (_, n) => 'etaoinshrdlucmfwypvbgkjqxz0123456789'[n % 36]).join(' '),
    'a b c d e f g h i l m n o p r s t u w',
    '\u{FDFA}'.repeat(100),
    'ä\u0301\u0302\u0303'.repeat(25),
    '(a+)+$ .* [^x]* (?=a) \\p{L}{99} |||| ((((((((((((((((((((((a',
    '_'.repeat(100),
    '\u0000\uFFFF\u202E<>&"%'.repeat(12),
  ];
  for (const q of costs) {
    const took: number[] = [];
    for (let round = 0; round < 5; round++) {
      const from = performance.now();
      expect((await search(rig, q)).status, q).toBe(200);
      took.push(performance.now() - from);
    }
    expect(Math.min(...took), q).toBeLessThan(60);
  }
});

test('HEAD is answered as GET without the body, other verbs as of the other pages', async () => {
  const rig = await startRig();
  const path = '/docs/search?q=smtp';
  const got = await ask(rig, path, NO_KEY);
  const head = await ask(rig, path, { ...NO_KEY, method: 'HEAD' });
  expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', got.headers['content-length']]);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const [here, there] = [
      await ask(rig, path, { ...NO_KEY, method }),
      await ask(rig, '/docs/guide', { ...NO_KEY, method }),
    ];
    expect([here.status, here.body], method).toEqual([there.status, there.body]);
  }
});

test('behind a path of a proxy the form and the results lead below it', async () => {
  const rig = await startRig({ config: { publicUrl: 'https://a.example/alarm' } });
  const { body, hits } = await search(rig, 'test mode');
  expect(body).toContain('role="search" action="/alarm/docs/search">');
  expect(hits[0]!.href).toBe('/alarm/docs/arming#test-mode');
});

test('a German reader finds the German pages, and after them what is only there in English', async () => {
  const rig = await startRig();
  const { hits, body, main } = await search(rig, 'fehlalarm frist', '/docs/de/search');
  expect(hits[0]).toMatchObject({ href: '/docs/de/arming#die-fehlalarm-frist', page: 'Scharf schalten' });
  expect(body).toContain('<html lang="de">');
  expect(main).toMatch(/Abschnitte enthalten alle diese Wörter/);
  expect((await search(rig, 'UBERWACHTE', '/docs/de/search')).hits[0]!.href).toBe('/docs/de/guide#überwachte-sender');

  const both = await search(rig, 'SMTP_URL', '/docs/de/search');
  const languages = both.hits.map(({ href }) => (href.startsWith('/docs/de') ? 'de' : 'en'));
  expect(languages).toEqual(languages.toSorted());
  expect(new Set(languages)).toEqual(new Set(['de', 'en']));
  expect(both.main).toContain('<li lang="en"><a href="/docs/operating');
  expect(both.hits.filter(({ href }) => href.startsWith('/docs/people'))).toEqual([]);

  const english = await search(rig, 'SMTP_URL');
  expect(english.hits.filter(({ href }) => href.startsWith('/docs/de'))).toEqual([]);
  expect((await search(rig, 'qwertzuiop', '/docs/de/search')).main).toContain(
    'Kein Abschnitt enthält alle diese Wörter',
  );
  expect((await search(rig, 'a'.repeat(101), '/docs/de/search')).main).toContain(
    'hat 101 Zeichen, erlaubt sind höchstens 100',
  );
});
