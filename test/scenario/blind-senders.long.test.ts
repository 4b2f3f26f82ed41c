import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { expect, onTestFinished, test } from 'vitest';
import { readSenders } from '../../services/engine/watch/statements/senders.ts';
import { openClient } from '../realtime/client.ts';
import { consoleOf } from '../support/console.ts';
import { sharedWorlds } from '../support/shared-world.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Supervised senders": what is armed while its sender is silent is told before it is needed. */

const HOUR = 3_600;

/** A house with an alarm and a camera whose key is supervised by ten minutes; `call` is what shows that the camera lives. */
async function aHouse(world: World, supervisionS = 600) {
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const alarmId = await owner.alarm();
  const { id: apiKeyId, secret } = await owner.keyWithId();
  const phone = await owner.key(alarmId);
  const console = consoleOf(world, world.operator, owner.accountId);
  const supervise = async (apiKeyId: string, supervisionS: number) => {
    const { apiKey } = await console.apiKeys.getApiKey({ apiKeyId });
    const changed = { id: apiKeyId, version: apiKey!.version, supervisionS };
    await console.apiKeys.updateApiKey({ apiKey: changed, updateMask: { paths: ['supervision_s'] } });
  };
  await supervise(apiKeyId, supervisionS);
  // A process looks only once those that died before it no longer count.
  await world.advance(20);
  const call = async (path: string, key: string) => {
    const { status } = await world.get(`/v1/${path}`, key);
    await world.settle();
    return status;
  };
  return {
    owner,
    console,
    apiKeyId,
    secret,
    supervise,
    live: () => call('integration/state', secret),
    refused: () => call(`alarm/${'a'.repeat(32)}/trigger`, secret),
    arm: () => call(`alarm/${alarmId}/arm`, phone),
    armAlone: async () => (await world.get(`/v1/alarm/${alarmId}/arm`, phone)).status,
    disarm: () => call(`alarm/${alarmId}/disarm`, phone),
    notices: async () => {
      const { notices } = await console.accounts.listNotices({});
      return notices.toReversed().map(({ kind, explanation }) => `${kind}: ${explanation}`);
    },
    key: async () => (await console.apiKeys.getApiKey({ apiKeyId })).apiKey!,
    findings: async () => {
      const { sources } = await console.readiness.getReadiness({});
      return sources.flatMap(({ findings }) => findings).filter(({ code }) => code === 'silent_sender');
    },
  };
}

/** Lets time pass as it does: the product looks all the while. */
async function goOn(world: World, seconds: number, stepS = 30) {
  for (let at = 0; at < seconds; at += stepS) await world.advance(Math.min(stepS, seconds - at));
}

const BLIND = 'blind: Nothing was heard of "A key" for 11 min. It cannot trigger House, which is armed.';

test('a sender that is cut off while its alarm is armed is told within a minute of its deadline, and that it is back', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url });
  const house = await aHouse(world);
  await house.arm();
  await house.live();
  await goOn(world, 600);
  expect(await house.notices()).toEqual([]);
  await goOn(world, 60);
  expect(await house.notices()).toEqual([BLIND]);
  expect(smtp.mails.map(({ subject }) => subject)).toEqual(['ARMED BUT BLIND: A key is silent']);
  expect(await house.key()).toMatchObject({ silentSince: expect.anything() });
  await goOn(world, 300);
  expect(await house.refused()).toBe(404);
  expect(await house.notices()).toEqual([BLIND, 'sender_back: "A key" is heard again after 16 min.']);
  expect((await house.key()).silentSince).toBeUndefined();
});

test('silent while nothing is armed: readiness says so, and whoever arms is told at once', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  await house.live();
  await goOn(world, 2_400, 60);
  expect(await house.notices()).toEqual([]);
  expect(await house.findings()).toMatchObject([{ severity: 'blocks', problem: expect.stringContaining('"A key"') }]);
  await house.arm();
  expect(await house.notices()).toEqual([expect.stringContaining('blind: Nothing was heard of "A key" for 40 min')]);
  await house.disarm();
  await house.live();
  expect(await house.findings()).toEqual([]);
  expect((await house.notices()).length).toBe(2);
});

test('whoever arms costs a look at the keys of their own account', async () => {
  const world = await startWorld();
  const [house, next] = [await aHouse(world), await aHouse(world)];
  await goOn(world, 720);
  const seen = await readSenders(world.store.pool, [next.owner.accountId]);
  expect(seen.accounts.map(({ accountId }) => accountId)).toEqual([next.owner.accountId]);
  expect(seen.supervised).toBe(1);
  expect(await house.notices()).toEqual([]);
  // Nothing is waited for that would look at all.
  expect(await house.armAlone()).toBe(202);
  await eventually(async () => (await house.notices()).length > 0, { what: 'its owner to be told' });
  expect(await next.notices()).toEqual([]);
});

test('in test, disabled or unsupervised nothing is told; a live panic button is always armed', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  await world.rows('UPDATE source SET test = true WHERE account_id = $1', [house.owner.accountId]);
  await house.arm();
  await house.live();
  await goOn(world, 1_200, 60);
  expect(await house.notices()).toEqual([]);
  await house.owner.panicButton();
  await goOn(world, 60);
  expect(await house.notices()).toEqual([expect.stringContaining('It cannot trigger Button, which is armed.')]);
  await house.supervise(house.apiKeyId, 0);
  expect((await house.key()).silentSince).toBeUndefined();
  expect(await house.findings()).toEqual([]);
});

test('of very many silent senders each source names three', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  await world.rows(
    `INSERT INTO api_key (account_id, id, key, label, version, supervision_s, silent_since)
     SELECT $1, md5(n::text), 'k' || n, 'Camera ' || n, 1, 600, tocsin_now() FROM generate_series(1, 149) n`,
    [house.owner.accountId],
  );
  expect((await house.findings()).map(({ problem }) => problem)).toEqual([
    'Nothing is heard of "Camera 1", "Camera 2", "Camera 3" and 146 more.',
  ]);
});

test('from the end of a test on what it silenced is armed, whether its switch was written yet or not', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  await house.live();
  await house.arm();
  const inTest = (columns: string) =>
    world.rows(`UPDATE location SET ${columns} WHERE account_id = $1`, [house.owner.accountId]);
  await inTest('test = true');
  await goOn(world, 720);
  expect(await house.notices()).toEqual([]);
  // Nobody can write that it ended.
  await world.rows('ALTER TABLE location RENAME COLUMN test_told_for TO gone');
  await inTest("test_until = tocsin_now() + '10 seconds'");
  await world.advance(20);
  await world.rows('ALTER TABLE location RENAME COLUMN gone TO test_told_for');
  expect(await house.notices()).toEqual([expect.stringContaining('blind: Nothing was heard of "A key"')]);
});

test('a key that is over is not silent, and one that is given a later end has a whole new period', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  const endsIn = async (seconds: number) => {
    const [row] = await world.rows<{ at: number }>('SELECT extract(epoch FROM tocsin_now())::float8 AS at');
    const { id, version } = await house.key();
    const expiresAt = timestampFromMs((row!.at + seconds) * 1_000);
    await house.console.apiKeys.updateApiKey({
      apiKey: { id, version, expiresAt },
      updateMask: { paths: ['expires_at'] },
    });
  };
  await house.live();
  await goOn(world, 1_200, 60);
  expect((await house.key()).silentSince).toBeDefined();
  await endsIn(60);
  expect((await house.key()).silentSince).toBeDefined();
  await goOn(world, 120);
  expect(await house.key()).toMatchObject({ status: 'expired' });
  expect((await house.key()).silentSince).toBeUndefined();
  await house.arm();
  await endsIn(24 * HOUR);
  await goOn(world, 600);
  expect(await house.notices()).toEqual([]);
  await goOn(world, 60);
  expect(await house.notices()).toEqual([BLIND]);
  await house.console.apiKeys.revokeApiKey({ apiKeyId: house.apiKeyId });
  expect((await house.key()).silentSince).toBeUndefined();
});

test('another account’s calls, and those with another key of the account, prove nothing', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  const outsider = await world.account();
  const theirs = await outsider.key();
  await house.arm();
  await house.live();
  for (let at = 0; at < 660; at += 60) {
    expect((await world.get('/v1/integration/state', theirs)).status).toBe(200);
    await house.arm();
    await world.advance(60);
  }
  expect(await house.notices()).toEqual([BLIND]);
  expect((await consoleOf(world, world.operator, outsider.accountId).accounts.listNotices({})).notices).toEqual([]);
});

test('switched on, or changed, supervision counts from then on', async () => {
  const world = await startWorld();
  const house = await aHouse(world, 7 * 24 * HOUR);
  await house.arm();
  await house.live();
  await goOn(world, 24 * HOUR, HOUR);
  await house.supervise(house.apiKeyId, 120);
  await goOn(world, 120);
  expect(await house.notices()).toEqual([]);
  await goOn(world, 60);
  expect(await house.notices()).toHaveLength(1);
});

test('what calls irregularly all night is one line, and the next says how often it was silent', async () => {
  const world = await startWorld();
  const house = await aHouse(world, 120);
  await house.arm();
  for (let at = 0; at < 5 * HOUR; at += 600) {
    await house.live();
    await goOn(world, 600, 200);
  }
  expect((await house.notices()).map(line => line.split(':')[0])).toEqual(['blind', 'sender_back']);
  await goOn(world, 2 * HOUR, 600);
  expect((await house.notices()).at(-1)).toContain('it fell silent 29 times');
});

test('what falls silent together is one notice, and one when it is back', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  const cameras = await Promise.all([1, 2, 3, 4].map(() => house.owner.keyWithId()));
  for (const { id } of cameras) await house.supervise(id, 600);
  const heard = async () => {
    for (const { secret } of cameras) {
      await world.get('/v1/integration/state', secret);
      await world.advance(5);
    }
  };
  await house.arm();
  await heard();
  for (let at = 0; at < 900; at += 60) {
    await house.live();
    await world.advance(60);
  }
  expect(await house.notices()).toEqual([
    'blind_together: 4 of 5 supervised senders fell silent at once: A key, A key, A key, A key. It is probably their line, or this server cannot be reached. They cannot trigger House, which is armed.',
  ]);
  await heard();
  expect((await house.notices()).length).toBe(2);
});

test('150 senders that fall silent together are one notice that names 20, and another account is told of its own', async () => {
  const world = await startWorld();
  const [house, next] = [await aHouse(world), await aHouse(world)];
  await world.rows(
    `INSERT INTO api_key (account_id, id, key, label, version, supervision_s)
     SELECT $1, md5(n::text), 'k' || n, 'Camera ' || n, 1, 600 FROM generate_series(1, 149) n`,
    [house.owner.accountId],
  );
  await house.live();
  await house.arm();
  await next.arm();
  await goOn(world, 720);
  expect(await next.notices()).toEqual([expect.stringContaining('blind: Nothing was heard of "A key"')]);
  expect(await house.notices()).toEqual([expect.stringContaining('150 of 150 supervised senders fell silent at once')]);
  const [told] = await world.rows<{ names: string }>(
    "SELECT about->>'names' AS names FROM notice WHERE account_id = $1",
    [house.owner.accountId],
  );
  expect(told!.names.split(', ')).toHaveLength(20);
});

test('two processes tell once, and life that one of them saw counts for both', async () => {
  const start = await sharedWorlds();
  const [first, second] = [await start(), await start()];
  const house = await aHouse(first);
  await house.arm();
  await house.live();
  const goOnBoth = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 30) {
      await first.passTime(30);
      await Promise.all([second.settle(), first.settle()]);
    }
  };
  await goOnBoth(570);
  expect((await second.get('/v1/integration/state', house.secret)).status).toBe(200);
  await second.settle();
  await goOnBoth(570);
  expect(await house.notices()).toEqual([]);
  await goOnBoth(120);
  expect(await house.notices()).toEqual([BLIND]);
});

test('a restart of ours gives every key a whole new period', async () => {
  const start = await sharedWorlds();
  const first = await start();
  const house = await aHouse(first);
  await house.arm();
  await house.live();
  await goOn(first, 500);
  await first.services.close();
  await first.passTime(180);
  const second = await start();
  const notices = async () =>
    (await consoleOf(second, first.operator, house.owner.accountId).accounts.listNotices({})).notices.map(
      ({ kind }) => kind,
    );
  await goOn(second, 600);
  expect(await notices()).toEqual([]);
  await goOn(second, 60);
  expect(await notices()).toEqual(['blind']);
});

test.for([3_600, -3_600])('a clock of the database set by %i s gives every key a whole new period', async byS => {
  const world = await startWorld({ clock: 'settable' });
  const house = await aHouse(world, 120);
  await house.arm();
  await house.live();
  await goOn(world, 100, 10);
  await world.setClock(byS);
  await goOn(world, 120, 10);
  expect(await house.notices()).toEqual([]);
  await goOn(world, 60, 10);
  expect(await house.notices()).toHaveLength(1);
});

test('while we stood still nobody could be heard: it does not count', async () => {
  const world = await startWorld({ clock: 'settable' });
  const house = await aHouse(world, 120);
  await house.arm();
  await house.live();
  await world.standStill(600);
  await goOn(world, 110, 10);
  expect(await house.notices()).toEqual([]);
  await goOn(world, 70, 10);
  expect(await house.notices()).toHaveLength(1);
});

test('a socket that answers shows that its sender lives, until it is gone', async () => {
  const world = await startWorld({ publicUrl: 'https://alarm.example.com', recheckMs: 20, aliveMs: 20 });
  const house = await aHouse(world, 120);
  await house.arm();
  const client = await openClient(world.url, { key: house.secret });
  await client.greet();
  const heard = async () => (await house.key()).aliveAt?.seconds ?? 0n;
  for (let at = 0; at < 600; at += 60) {
    const before = await heard();
    await world.passTime(60);
    await eventually(
      async () => {
        await world.settle();
        return (await heard()) > before;
      },
      { what: 'the socket to be heard' },
    );
  }
  expect(await house.notices()).toEqual([]);
  client.ws.terminate();
  await new Promise(resolve => client.ws.once('close', resolve));
  await goOn(world, 240);
  expect(await house.notices()).toHaveLength(1);
});
