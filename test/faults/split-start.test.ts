import { describe, onTestFinished, test, vi } from 'vitest';
import { startNatsServer } from '../support/nats-server.ts';
import { startProduct } from './product.ts';
import { expectRefusal, takenPort } from './refusal.ts';

// Each starts several processes, on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

describe('services or a facade apart stop their start with one sentence and exit code 1:', () => {
  const NATS = 'a URL such as nats://host:4222 or tls://user:password@host:4222, or several separated by commas';

  test('no NATS_URL', async () => {
    const sentence = (what: string) => `NATS_URL takes ${NATS}, got nothing, and is required where the ${what} apart.`;
    await expectRefusal(startProduct({}, { script: 'services' }), sentence('services run'));
    await expectRefusal(startProduct({}, { script: 'facade' }), sentence('facade runs'));
  });

  test.each([
    ['localhost:8081', 'localhost:8081'],
    ['http://a,ftp://b', 'http://a,ftp://b'],
    ['http://me:hunter2@a', 'http://…@a'],
    ['http://a/rpc', 'http://a/rpc'],
  ])('an RPC_URL such as %s', async (RPC_URL, shown) => {
    await expectRefusal(
      startProduct({ RPC_URL, NATS_URL: 'nats://127.0.0.1:1' }, { script: 'facade' }),
      `RPC_URL takes one or more http or https URLs without path, separated by commas, such as http://10.0.0.5:8081, got "${shown}".`,
    );
  });

  test('a NATS server that refuses the login, and a port in use', async () => {
    const nats = await startNatsServer({ config: 'authorization { token: "right" }' });
    onTestFinished(() => nats.stop());
    const settings = { NATS_URL: nats.url.replace('//', '//hunter2@') };
    const refused = `NATS at 127.0.0.1:${nats.port} refused the user, password or token. Check NATS_URL and the server.`;
    await expectRefusal(startProduct(settings, { script: 'facade' }), refused);
    const { port } = await takenPort();
    const taken = { NATS_URL: nats.url.replace('//', '//right@'), HTTP_HOST: '127.0.0.1', HTTP_PORT: `${port}` };
    await expectRefusal(
      startProduct(taken, { script: 'facade' }),
      `HTTP_PORT is ${port}, but another program on this machine uses that port: stop it or choose another port (0 takes any free one).`,
    );
  });
});
