import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { expect, onTestFinished, test } from 'vitest';
import { InventoryService } from '../../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { newOwner, refusal } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { APPLY, aNeighbour, saying } from '../connections-rig.ts';

/* DECISIONS.md "RPC port": what one account may take of it, with a neighbour who must not notice. */

test('an account sends four configurations at once, a fifth waits for one of them, and other accounts are free', async () => {
  const { world, triggers } = await aNeighbour();
  const [one, another] = [await newOwner(world), await newOwner(world)];
  const head = `POST ${APPLY} HTTP/1.1\r\nHost: x\r\nContent-Type: application/connect+proto\r\nAuthorization: Bearer ${one.token}\r\nContent-Length: 9\r\n\r\n`;
  const held = await Promise.all(Array.from({ length: 4 }, () => saying(world, head)));
  const check = (owner: typeof one) =>
    refusal(owner.console.configuration.check({ text: 'version: 1' })).catch(() => 'answered');
  // By then the four have come.
  for (let nth = 0; nth < 10; nth++) expect(await check(another)).toBe('answered');
  let fifth = 'waits';
  const checked = check(one).then(() => {
    fifth = 'answered';
  });
  for (let nth = 0; nth < 10; nth++) expect(await check(another)).toBe('answered');
  await triggers();
  expect(fifth).toBe('waits');
  held[0]!.socket.destroy();
  await checked;
});

test('a key has twenty streams open at once; one more is refused, until one ends; another key has its own', async () => {
  const { world, key, triggers } = await aNeighbour();
  const client = createClient(InventoryService, createGrpcTransport({ baseUrl: world.rpcUrl }));
  const watch = async (secret: string) => {
    const gone = new AbortController();
    onTestFinished(() => gone.abort());
    const options = { headers: { 'x-api-key': secret }, signal: gone.signal };
    await client.watchChanges({}, options)[Symbol.asyncIterator]().next();
    return gone;
  };
  const open = await Promise.all(Array.from({ length: 20 }, () => watch(key)));
  expect(await refusal(watch(key))).toMatchObject({
    code: 'ResourceExhausted',
    message: expect.stringContaining('20 streams open at once'),
  });
  await watch(await (await world.account()).key());
  await triggers();
  open[0]!.abort();
  await eventually(
    () =>
      watch(key).then(
        () => true,
        () => false,
      ),
    { what: 'a place for another stream' },
  );
});

test('an account has a hundred streams open at once, with however many keys; another account has its own', async () => {
  const { world, key, triggers } = await aNeighbour();
  const owner = await world.account();
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  // On a connection for each key: one takes no more than a hundred streams anyway.
  const watching = (secret: string) => {
    const client = createClient(InventoryService, createGrpcTransport({ baseUrl: world.rpcUrl }));
    const options = { headers: { 'x-api-key': secret }, signal: gone.signal };
    return () => client.watchChanges({}, options)[Symbol.asyncIterator]().next();
  };
  for (let nth = 0; nth < 5; nth++) {
    const watch = watching(await owner.key());
    await Promise.all(Array.from({ length: 20 }, watch));
  }
  expect(await refusal(watching(await owner.key())())).toMatchObject({
    code: 'ResourceExhausted',
    message: expect.stringContaining('an account 100'),
  });
  await watching(key)();
  await triggers();
});
