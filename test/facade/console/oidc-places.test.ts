import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { pino } from 'pino';
import { register } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { startFacade } from '../../../facade/app.ts';
import { SessionService } from '../../../gen/tocsin/console/v1/sessions_pb.ts';
import { facadeConfig } from '../../support/facade-config.ts';
import { eventually } from '../../support/wait.ts';

const SLOWED = register.getSingleMetric('tocsin_bad_credentials_total')!;

/** A facade behind a proxy, before services that refuse every answer of a provider; `begin` runs before each sign-in begins. */
async function proxied(begin: (address: string) => Promise<void> = async () => {}) {
  const transport = createRouterTransport(router => {
    router.service(SessionService, {
      async startOidcSignIn(_request, { requestHeader }) {
        await begin(requestHeader.get('x-tocsin-client')!.split(' ')[0]!);
        return { url: 'https://provider.example/', flow: 'v1.a' };
      },
      signIn() {
        throw new ConnectError('That opens nothing.', Code.Unauthenticated);
      },
    });
  });
  const config = facadeConfig({ publicUrl: 'http://alarm.local', trustedProxies: ['127.0.0.1'], rateLimits: 'on' });
  const facade = await startFacade({ transport, config, log: pino({ level: 'silent' }) });
  onTestFinished(() => facade.close());
  /** Where a browser at an address is led. */
  return async (path: string, address: string): Promise<string> => {
    const headers = { 'x-forwarded-for': address, cookie: 'tocsin-sign-in=v1.a' };
    const { headers: came } = await fetch(facade.url + path, { redirect: 'manual', headers });
    return came.get('location') ?? '';
  };
}

test('one network waits in half of the places at most: whoever signs in from another one is led on', async () => {
  const over = Promise.withResolvers<void>();
  const led = await proxied(address => (address === '203.0.113.9' ? over.promise : Promise.resolve()));
  let away = 0;
  const strangers = Array.from({ length: 20 }, async () => {
    if ((await led('/sign-in/oidc?at=public', '203.0.113.9')).endsWith('failed=away')) away += 1;
  });
  await eventually(() => away >= 16, { what: 'those without a place to be told' });
  expect(await led('/sign-in/oidc?at=public', '203.0.113.10')).toBe('https://provider.example/');
  over.resolve();
  await Promise.all(strangers);
  expect(away).toBe(16);
});

test('two networks that wait for a provider that hangs keep out nobody else', async () => {
  const over = Promise.withResolvers<void>();
  const led = await proxied(address => (address === '203.0.113.10' ? Promise.resolve() : over.promise));
  let away = 0;
  const strangers = ['203.0.113.9', '198.51.100.9'].flatMap(network =>
    Array.from({ length: 10 }, async () => {
      if ((await led('/sign-in/oidc?at=public', network)).endsWith('failed=away')) away += 1;
    }),
  );
  await eventually(() => away >= 12, { what: 'those without a place to be told' });
  await eventually(async () => (await led('/sign-in/oidc?at=public', '203.0.113.10')) === 'https://provider.example/', {
    what: 'somebody from a third network to be led on',
    within: 8_000,
  });
  expect(away).toBe(13);
  over.resolve();
  await Promise.all(strangers);
  expect(away).toBe(13);
});

test('who makes answers up waits for each refusal, and takes no place meanwhile', async () => {
  const led = await proxied();
  const guess = () => led('/sign-in/oidc/callback?code=a&state=b', '203.0.113.9');
  const slowly = async () => (await SLOWED.get()).values.find(({ labels }) => labels.answered === 'slowly')?.value ?? 0;
  const before = await slowly();
  const asked: Promise<string>[] = [];
  while ((await slowly()) < before + 4) {
    asked.push(guess());
    await Promise.race([asked.at(-1), new Promise(resolve => setTimeout(resolve, 20))]);
  }
  expect(await led('/sign-in/oidc?at=public', '203.0.113.9')).toBe('https://provider.example/');
  for (const url of await Promise.all(asked)) expect(url).toBe('http://alarm.local/sign-in?failed=refused');
});
