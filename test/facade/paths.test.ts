import { METHODS } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ALARM, ask, get, KEY, PANIC, raw, startRig, statuses } from './rig.ts';

/** DECISIONS.md "Requests that cannot be read as HTTP, CONNECT, methods that Node's parser does not know". */
function expectUnreadable(text: string): void {
  expect(statuses(text)).toEqual([400]);
  expect(text).toMatch(/\r\n\r\n\{"message":"This request cannot be read\."\}$/);
  expect(text).toMatch(/^Cache-Control: no-store\r$/m);
  expect(text).toMatch(/^Connection: close\r$/m);
}

describe('a method other than GET on a path that exists', () => {
  const OTHERS = METHODS.filter(method => method !== 'GET' && method !== 'CONNECT');

  test.each(OTHERS)('%s is a 405 that allows GET, and nothing is done', async method => {
    const rig = await startRig();
    for (const path of [`/v1/alarm/${ALARM}/trigger`, `/v1/panic/${PANIC}/clear/`, '/v1/integration/describe?a=b']) {
      const answer = await ask(rig, path, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers).toMatchObject({ allow: 'GET', 'cache-control': 'no-store' });
      if (method === 'HEAD') expect(answer.body).toBe('');
      else expect(JSON.parse(answer.body)).toMatchObject({ error: true, links: {}, data: {} });
    }
    expect(rig.backend.acted).toEqual([]);
  });

  test.each([
    ['form data', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1'],
    ['broken JSON', { 'content-type': 'application/json' }, '{"a":'],
    ['poisoned JSON', { 'content-type': 'application/json' }, '{"__proto__":{}}'],
    ['XML', { 'content-type': 'text/xml' }, '<a/>'],
    ['a content type that is none', { 'content-type': ';;' }, 'a'],
    ['no content type', {}, 'a'],
    ['2 MB', { 'content-type': 'application/json' }, ' '.repeat(2 ** 21)],
  ])('a body of %s does not change the 405', async (_, headers, body) => {
    const rig = await startRig();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY']) {
      expect((await ask(rig, `/v1/alarm/${ALARM}/trigger`, { method, headers, body })).status, method).toBe(405);
    }
    expect(rig.backend.acted).toEqual([]);
  });

  test.each(['FOO', 'get', 'GETT', 'TRIGGER'])('%s is no HTTP method: 400, and nothing is done', async method => {
    const rig = await startRig();
    const text = await raw(rig, get(`/v1/alarm/${ALARM}/trigger`).replace('GET', method));
    expectUnreadable(text);
    expect(rig.backend.calls).toEqual([]);
  });

  test('CONNECT is refused likewise, and nothing is done', async () => {
    const rig = await startRig();
    expectUnreadable(await raw(rig, get(`/v1/alarm/${ALARM}/trigger`).replace('GET', 'CONNECT')));
    expectUnreadable(await raw(rig, 'CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n'));
    expect(rig.backend.calls).toEqual([]);
  });
});

describe('a path below /v1 that does not exist', () => {
  test.each([
    '/v1',
    '/v1/',
    '/v1?echo',
    '/v1/echo',
    '/v1/alarm',
    `/v1/alarm/${ALARM}`,
    `/v1/alarm/${ALARM}/echo`,
    `/v1/alarm/${ALARM}/Trigger`,
    `/v1/alarm/${ALARM}/trigger%20`,
    `/v1/alarm/${ALARM}/trigger;x=1`,
    `/v1/alarm/${ALARM}/trigger%2Faway`,
    `/v1/alarm/${ALARM}/trigger/away/echo`,
    `/v1/alarm/${ALARM}/disarm/away`,
    `/v1/alarm/${ALARM}/../${ALARM}/trigger`,
    `/v1/panic/${PANIC}/arm`,
    `/v1/panic/${PANIC}/trigger/away`,
    '/v1/integration/describe/echo',
    '/v1/event',
    '/v1/%ZZecho',
    `/v1/alarm/%ZZecho/trigger`,
    `/v1/alarm/%FFecho/trigger`,
    `/v1/alarm/${ALARM}/arm/%C3%28echo/echo`,
    `/v1/alarm/${ALARM}/disarm/%C3%28echo`,
    '//v1/echo',
    '//v1/%ZZecho',
    'http://elsewhere.example/v1/%ZZecho',
    'http://elsewhere.example/v1/echo',
    '/%761/echo',
  ])('%s is a 404 that does not repeat it, for every method, and nothing is done', async path => {
    const rig = await startRig();
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'MKCOL']) {
      const answer = await ask(rig, path, { method });
      expect(answer.status, method).toBe(404);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers).not.toHaveProperty('allow');
      if (method === 'HEAD') continue;
      expect(JSON.parse(answer.body)).toMatchObject({ error: true, links: {}, data: {} });
      expect(answer.body).not.toMatch(/echo|alarm\/|%/i);
    }
    expect(rig.backend.acted).toEqual([]);
    expect((await ask(rig, path, { headers: { 'x-api-key': 'no' } })).status).toBe(401);
  });
});

describe('a path outside /v1', () => {
  test.each([
    '/V1/alarm/x/trigger',
    '/v2/echo',
    '/echo',
    '/v10',
    '/docs/echo',
    '/%ZZecho',
    '/docs/../echo',
  ])('%s is a plain 404 that does not repeat it and asks for no key', async path => {
    const rig = await startRig();
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'TRACE']) {
      const answer = await ask(rig, path, { method, headers: { 'x-api-key': undefined } });
      expect(answer.status, method).toBe(404);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).not.toContain('echo');
    }
    expect(rig.backend.calls).toEqual([]);
  });

  test.each(['/echo', '/docs/echo', '/%ZZecho'])('%s is a page for a browser, and for nobody else', async path => {
    const rig = await startRig();
    const browser = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'x-api-key': undefined };
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await ask(rig, path, { method, headers: browser });
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        404,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      if (method === 'GET') expect(body).toContain('<h1>There is nothing here</h1>');
      expect(body).not.toContain('echo');
    }
    for (const accept of [undefined, '*/*', 'application/json']) {
      const { headers, body } = await ask(rig, path, { headers: { accept, 'x-api-key': undefined } });
      expect([headers['content-type'], Object.keys(JSON.parse(body))]).toEqual([
        'application/json; charset=utf-8',
        ['message'],
      ]);
    }
    const posted = await ask(rig, path, { method: 'PUT', headers: browser });
    expect(posted.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('below /v1 a browser gets the envelope as everybody', async () => {
    const rig = await startRig();
    const { status, headers, body } = await ask(rig, '/v1/echo', { headers: { accept: 'text/html' } });
    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    expect(JSON.parse(body)).toMatchObject({ error: true, data: {} });
  });

  test('with a body that cannot be read is refused with a status of the 400s', async () => {
    const rig = await startRig();
    for (const headers of [{ 'content-type': 'text/xml' }, { 'content-type': 'application/json' }, {}]) {
      const { status, body } = await ask(rig, '/echo', { method: 'POST', headers, body: '{"echo' });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(body).not.toContain('echo');
    }
  });
});

describe('an identifier', () => {
  test.each([
    ['31 characters', 'a'.repeat(31), 'a'.repeat(31)],
    ['33 characters', 'a'.repeat(33), 'a'.repeat(33)],
    ['10,000 characters', 'a'.repeat(10_000), 'a'.repeat(10_000)],
    ['upper case', ALARM.toUpperCase(), ALARM.toUpperCase()],
    ['NUL', '%00', '\0'],
    ['a line break', 'a%0D%0Ab', 'a\r\nb'],
    ['an encoded slash', 'a%2Fb', 'a/b'],
    ['an encoded percent sign', 'a%2561', 'a%61'],
    ['a plus', 'a+b', 'a+b'],
    ['dots', '..', '..'],
    ['other scripts', '%F0%9F%94%A5%C3%BC', '🔥ü'],
    ['the name of a property', '__proto__', '__proto__'],
  ])('with %s reaches the services as it was meant, and they judge it', async (_, sent, seen) => {
    const rig = await startRig();
    const answer = await ask(rig, `/v1/alarm/${sent}/trigger`);
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body).message).toMatch(/^ID not found\./);
    expect(rig.backend.calls.map(({ request }) => request)).toEqual([{ alarmId: seen }]);
  });

  test('is compared after decoding', async () => {
    const rig = await startRig();
    expect((await ask(rig, `/v1/alarm/%61${ALARM.slice(1)}/trigger`)).status).toBe(202);
  });
});

describe('what devices send and nobody minds', () => {
  const path = `/v1/alarm/${ALARM}/trigger`;

  test.each([
    ['a trailing slash', `${path}/`],
    ['doubled slashes', `//v1//alarm/${ALARM}///trigger//`],
    ['a query', `${path}?active=1&active=2&a[b]=c`],
    ['a query that cannot be decoded', `${path}?x=%ZZ`],
    ['a query of 8 KB', `${path}?x=${'y'.repeat(8_192)}`],
    ['an empty query behind a slash', `${path}/?`],
  ])('%s', async (_, sent) => {
    const rig = await startRig();
    expect((await ask(rig, sent)).status).toBe(202);
    expect(rig.backend.calls).toMatchObject([{ rpc: 'Trigger', request: { alarmId: ALARM } }]);
  });

  test.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1'],
    ['broken JSON', { 'content-type': 'application/json' }, '{"a":'],
    ['a content type that is none', { 'content-type': ';;' }, 'x'],
    ['a chunked body', { 'transfer-encoding': 'chunked' }, 'abc'],
    ['a content type without a body', { 'content-type': 'application/json' }, undefined],
    ['an Accept of something else', { accept: 'text/html', 'accept-encoding': 'gzip, br' }, undefined],
    ['an Accept-Version', { 'accept-version': '9.x' }, undefined],
    ['a body of 64 KB', {}, 'x'.repeat(65_536)],
  ])('%s with the GET', async (_, headers, body) => {
    const rig = await startRig();
    const answer = await ask(rig, path, { headers, ...(body !== undefined && { body }) });
    expect(answer.status).toBe(202);
    expect(answer.headers).not.toHaveProperty('content-encoding');
    expect(rig.backend.acted).toEqual(['Trigger']);
  });

  test('a caller from a page of somewhere else gets no permission', async () => {
    const rig = await startRig();
    const origin = { origin: 'https://evil.example' };
    const preflight = { ...origin, 'access-control-request-method': 'GET', 'x-api-key': KEY };
    const answers = [
      await ask(rig, path, { headers: origin }),
      await ask(rig, path, { method: 'OPTIONS', headers: preflight }),
    ];
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([]);
    }
  });
});
