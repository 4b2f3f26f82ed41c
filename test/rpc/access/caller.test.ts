import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLookups } from '../../../services/rpc/lookups.ts';
import { createDigests } from '../../../services/store/key-digests.ts';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { statementsOf } from '../../support/statements.ts';
import { eventually } from '../../support/wait.ts';
import { startWorld } from '../../support/world.ts';

/* Who calls is asked once for a call, by the gate, for all calls of a moment together; what is asked is never kept. */

test('a call asks once who calls, and so does one by somebody who is nobody', async () => {
  const world = await startWorld();
  const owner = await newOwner(world);
  const asked = statementsOf(world.store.pool);
  await owner.console.locations.listLocations({});
  expect(asked('find_holders').all).toBe(1);
  const nobody = consoleOf(world, owner.token.replace(/.$/, '0'));
  expect(await refusal(nobody.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
  expect(asked('find_holders').all).toBe(2);
});

test('while one is asked about, all others wait and are asked about together, each time anew', async () => {
  const asked: number[] = [];
  const first = Promise.withResolvers<void>();
  const digests = createDigests('a pepper that is long enough for all of this', TOKENS);
  const read = async (all: Buffer[]) => {
    asked.push(all.length);
    await first.promise;
    return all.map(() => ({ who: 'somebody' }));
  };
  const lookups = createLookups(digests, read, 0);
  const found = [lookups.find('one', '192.0.2.1')];
  await eventually(() => asked.length === 1, { what: 'the first to be asked about' });
  found.push(...Array.from({ length: 40 }, (_, nth) => lookups.find(`other ${nth % 2}`, '192.0.2.1')));
  first.resolve();
  expect(await Promise.all(found)).toHaveLength(41);
  await lookups.find('one', '192.0.2.1');
  expect(asked).toEqual([1, 40, 1]);
});

const TOKENS = { mayBe: () => true, unknownForMs: 1_000 };

test('somebody who asks with one token over and over is asked about in turn with everybody else', async () => {
  const holds: PromiseWithResolvers<void>[] = [];
  const digests = createDigests('a pepper that is long enough for all of this', TOKENS);
  const read = async (all: Buffer[]) => {
    const hold = Promise.withResolvers<void>();
    holds.push(hold);
    await hold.promise;
    return all.map(() => ({ who: 'somebody' }));
  };
  const lookups = createLookups(digests, read, 0);
  const goOn = async (nth: number) => {
    await eventually(() => holds.length === nth, { what: 'those that wait to be asked about' });
    holds[nth - 1]!.resolve();
  };
  const known = [lookups.find('flood', '192.0.2.1'), lookups.find('neighbour', '192.0.2.2')];
  await goOn(1);
  await Promise.all(known);

  const flood = Array.from({ length: 1_200 }, () => lookups.find('flood', '192.0.2.1'));
  const neighbour = lookups.find('neighbour', '192.0.2.2');
  await goOn(2);
  // The next group is held: the neighbour is answered without it.
  await neighbour;
  await goOn(3);
  await goOn(4);
  await Promise.all(flood);
});

/** A call whose body arrives when the function that is returned is called. */
function slowCall(url: string, token: string, accountId: string) {
  const body = '{}';
  const call = request(`${url}/tocsin.console.v1.LocationService/ListLocations`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      authorization: `Bearer ${token}`,
      'x-tocsin-account': accountId,
    },
  });
  onTestFinished(() => void call.destroy());
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  call.flushHeaders();
  return async () => {
    call.end(body);
    const [answer] = await answered;
    return { status: answer.statusCode, text: await text(answer) };
  };
}

/** Calls with a token that is revoked once the gate has asked who calls; the body comes `takesMs` later. */
async function revokedMeanwhile(takesMs: number) {
  const world = await startWorld();
  const owner = await newOwner(world);
  const operator = consoleOf(world, world.operator, owner.accountId);
  const { token, secret } = await operator.accounts.createToken({ label: 'Script' });
  const asked = statementsOf(world.store.pool);
  const send = slowCall(world.rpcUrl, secret, owner.accountId);
  const isAsked = () => asked('find_holders').all === 1 && asked('find_holders').now === 0;
  await eventually(isAsked, { what: 'the gate to have asked who calls' });
  await operator.accounts.revokeToken({ tokenId: token!.id });
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + takesMs);
  onTestFinished(() => time.mockRestore());
  const before = asked('find_holders').all;
  return { ...(await send()), asked: asked('find_holders').all - before };
}

test('a body that is there at once is read for whom the gate has found', async () => {
  expect(await revokedMeanwhile(0)).toMatchObject({ status: 200, asked: 0 });
});

test('a token that is revoked while the body takes its time opens nothing', async () => {
  expect(await revokedMeanwhile(2_000)).toMatchObject({ status: 401, asked: 1 });
});
