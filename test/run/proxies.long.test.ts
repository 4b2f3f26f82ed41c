import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { startFacade } from '../../facade/app.ts';
import { SessionService } from '../../gen/tocsin/console/v1/sessions_pb.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { ownPort } from '../faults/cluster/ports.ts';
import { openClient } from '../realtime/client.ts';
import { consoleOf } from '../support/console.ts';
import { facadeConfig } from '../support/facade-config.ts';
import { examplesIn, PROXIES_PAGE, type RunningProxy, startCaddy, startNginx } from '../support/proxies.ts';
import { startWorld } from '../support/world.ts';

/** Where a client on this machine comes from, that a proxy at 127.0.0.1 does not. */
const ELSEWHERE = '127.0.0.9';

/** The product behind a proxy as the page says. */
async function behind(start: typeof startCaddy, path: string) {
  const port = await ownPort();
  const publicUrl = `https://localhost:${port}${path}`;
  const world = await startWorld({ publicUrl });
  const facade = await startFacade({
    transport: world.services.transport,
    config: facadeConfig({ publicUrl, trustedProxies: ['127.0.0.1'] }),
    log: pino({ level: 'silent' }),
    realtime: { bus: world.bus },
  });
  onTestFinished(() => facade.close());
  const proxy = await start(facade.url, { path, port });
  const owner = await world.account();
  return { world, facade, proxy, owner };
}

/** Asks through the proxy; `from`: by which of this machine's addresses. */
async function ask(
  { url, ca }: Pick<RunningProxy, 'url' | 'ca'>,
  path: string,
  headers: Record<string, string> = {},
  { body, from = '127.0.0.1' }: { body?: string; from?: string } = {},
) {
  const to = `${url}${path}`;
  const options = {
    ca,
    headers,
    localAddress: from,
    agent: false as const,
    method: body === undefined ? 'GET' : 'POST',
  };
  const asked = to.startsWith('https') ? secureRequest(to, options) : request(to, options);
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return { status: answer.statusCode, headers: answer.headers, text };
}

/** The console's way, as its page in a browser goes. */
function browser({ url, ca }: RunningProxy, accountId: string) {
  let cookie = '';
  const asPage: Interceptor = next => async call => {
    call.header.set('origin', new URL(url).origin);
    call.header.set('sec-fetch-site', 'same-origin');
    call.header.set('x-tocsin-account', accountId);
    if (cookie !== '') call.header.set('cookie', cookie);
    const answer = await next(call);
    cookie = answer.header.get('set-cookie')?.split(';')[0] ?? cookie;
    return answer;
  };
  const transport = createConnectTransport({
    baseUrl: `${url}/rpc`,
    httpVersion: '1.1',
    interceptors: [asPage],
    nodeOptions: { ca },
  });
  return {
    sessions: createClient(SessionService, transport),
    incidents: createClient(IncidentService, transport),
    cookie: () => cookie,
  };
}

describe.each([
  ['Caddy', startCaddy],
  ['nginx', startNginx],
] as const)('%s with what the page says', (_name, start) => {
  describe.each([
    ['at the top', ''],
    ['under a path', '/tocsin'],
  ])('%s', (_where, path) => {
    test('passes on calls with the address of their caller, whatever that claims, and keeps the figures to itself', async () => {
      const { world, owner, proxy } = await behind(start, path);
      const id = await owner.alarm({ modes: { away: {} } });
      const headers = { 'x-api-key': await owner.key(), 'x-forwarded-for': '203.0.113.9', 'user-agent': 'Camera' };
      const { status, text } = await ask(proxy, `/v1/alarm/${id}/trigger`, headers, { from: ELSEWHERE });
      expect(status).toBe(202);
      expect(JSON.parse(text).error).toBe(false);
      await world.settle();
      const { apiKeys } = await consoleOf(world, world.operator, owner.accountId).apiKeys.listApiKeys({});
      expect(apiKeys.map(({ lastUsedAddress }) => lastUsedAddress)).toEqual([ELSEWHERE]);
      expect((await ask(proxy, '/readyz')).status).toBe(200);
      for (const figures of ['/metrics', '/metrics/', '//metrics', '/metrics?x', '/%6detrics', '/docs/../metrics']) {
        expect((await ask(proxy, figures)).status, figures).toBe(404);
      }
      const page = await ask(proxy, '/i/a-secret-token');
      expect(page.status).toBe(404);
      expect(page.headers['content-type']).toContain('text/html');
      expect(proxy.logged()).not.toContain('a-secret-token');
    });

    test('serves the documentation, whose links lead on through it', async () => {
      const { proxy } = await behind(start, path);
      const { status, text } = await ask(proxy, '/docs');
      expect(status).toBe(200);
      const links = [...text.matchAll(/ (?:href|src)="(\/[^"#]*)/g)].map(([, link]) => link!);
      expect(links.length).toBeGreaterThan(20);
      expect(links.filter(link => !link.startsWith(`${path}/`))).toEqual([]);
      const at = links.find(link => link.endsWith('/docs/guide'))!;
      expect((await ask({ ...proxy, url: new URL(proxy.url).origin }, at)).status).toBe(200);
      const rules = await ask(proxy, '/docs/run/alerts.yml');
      expect(rules.text).toContain(`runbook_url: ${proxy.url}/docs/watching#tocsinaway`);
    });

    test('passes sockets on, which hear of a change', async () => {
      const { world, owner, proxy } = await behind(start, path);
      const id = await owner.alarm({ modes: { away: {} } });
      const key = await owner.key();
      const { text } = await ask(proxy, '/v1/integration/describe', { 'x-api-key': key });
      const { realtime } = JSON.parse(text).data as { realtime: { realtimeHost: string; channel: string } };
      const client = await openClient(`https://${realtime.realtimeHost}`, { key, ca: proxy.ca });
      await client.greet();
      await client.subscribe('one', realtime.channel, key);
      await ask(proxy, `/v1/alarm/${id}/arm`, { 'x-api-key': key });
      await world.settle();
      await client.told({ type: 'data', id: 'one' });
    });

    test('serves the console: sign-in with a secure cookie, a stream that tells at once, and a large configuration', async () => {
      const { world, owner, proxy } = await behind(start, path);
      const page = browser(proxy, owner.accountId);
      await page.sessions.signIn({ way: { case: 'consoleToken', value: { token: world.operator } } });
      expect(page.cookie()).toMatch(/^__Host-tocsin-session=tcs_/);
      const ended = new AbortController();
      const stream = page.incidents.watchIncidents({}, { signal: ended.signal })[Symbol.asyncIterator]();
      expect((await stream.next()).value).toMatchObject({ kind: 'ready' });
      const id = await owner.alarm({ modes: { away: {} } });
      await ask(proxy, `/v1/alarm/${id}/trigger`, { 'x-api-key': await owner.key() });
      // Nothing comes behind it that would push it through a buffer.
      expect((await stream.next()).value).toMatchObject({ kind: 'opened' });
      ended.abort();

      const headers = {
        'content-type': 'application/json',
        'connect-protocol-version': '1',
        'sec-fetch-site': 'same-origin',
      };
      const large = { body: JSON.stringify({ nothing: 'x'.repeat(3 * 1024 * 1024) }) };
      const method = '/rpc/tocsin.console.v1.ConfigurationService/Check';
      const answer = await ask(
        proxy,
        method,
        { ...headers, cookie: page.cookie(), origin: new URL(proxy.url).origin },
        large,
      );
      // Tocsin itself says what is wrong with it.
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text).code).toBe('invalid_argument');
    });
  });
});

test('nginx logs requests, but none below /i/ and /carrier/', async () => {
  const { proxy } = await behind(startNginx, '');
  for (const path of ['/i/a-secret-token', '/carrier/text/a-secret-token', '/livez']) await ask(proxy, path);
  expect(proxy.logged()).toContain('GET /livez');
  expect(proxy.logged()).not.toContain('a-secret-token');
});

/** What Traefik's manual lists of what the example uses, and nothing else. */
const TRAEFIK = z.strictObject({
  http: z.strictObject({
    routers: z.record(
      z.string(),
      z.strictObject({
        rule: z.string().regex(/^Host\(`[\w.]+`\)( && !Path\(`\/\w+`\))?$/),
        entryPoints: z.array(z.string()),
        service: z.string(),
        tls: z.strictObject({ certResolver: z.string() }),
      }),
    ),
    services: z.record(
      z.string(),
      z.strictObject({
        loadBalancer: z.strictObject({
          passHostHeader: z.literal(true),
          servers: z.array(z.strictObject({ url: z.url() })).length(1),
          healthCheck: z.strictObject({ path: z.literal('/livez'), interval: z.string(), timeout: z.string() }),
        }),
      }),
    ),
  }),
});

test('the configuration of Traefik, which is not run here, has the names of its manual, and a service for its router', () => {
  const [example] = examplesIn(PROXIES_PAGE, 'yaml');
  const { http } = TRAEFIK.parse(parse(example!));
  for (const { service } of Object.values(http.routers)) expect(Object.keys(http.services)).toContain(service);
});
