import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocalBus } from '../../services/changes/local.ts';
import type { Channel } from '../../services/channels/channel.ts';
import { createChannels } from '../../services/channels/channels.ts';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { AT_ONCE } from '../../services/domain/turns.ts';
import { type Engine, startEngine } from '../../services/engine/engine.ts';
import { carriers } from '../support/carriers.ts';
import { advanceClock } from '../support/database.ts';
import type { Owner } from '../support/owner.ts';
import { startPeer } from '../support/peer.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "A step": one order, the stated one, in sending, timeline, page and preview; nobody waits for an answer to another. */
vi.setConfig({ testTimeout: 120_000 });

const KINDS = ['text', 'email', 'push'] as const;

test('several channels and slow carriers: the messages of each incident begin in the stated order', async () => {
  const world = await startWorld();
  const [owner, other] = [await world.account(), await world.account()];
  const policyId = await everybody(owner, names(100), KINDS, 60);
  for (let nth = 0; nth < 3; nth++) await press(world, owner, await owner.panicButton({ policyId }));
  await press(world, other, await other.panicButton({ policyId: await everybody(other, names(3), KINDS, 60) }));
  await world.settle();
  await world.services.close();
  await advanceClock(world.store.pool, 60);

  const begun: string[] = [];
  await slowWorker(world, begun).drain();

  const planned = await world.rows<{ id: string; incident_id: string; channel: string; attempt: number }>(
    'SELECT id, incident_id, channel, attempt FROM delivery ORDER BY seq',
  );
  const lines = [...Map.groupBy(planned, ({ incident_id, channel }) => `${incident_id} ${channel}`).values()];
  expect(lines.map(line => line.length).toSorted((a, b) => a - b)).toEqual([3, 3, 3, ...Array(9).fill(100)]);
  for (const line of lines) {
    const ids = line.map(({ id }) => id);
    expect(begun.filter(id => ids.includes(id))).toEqual(ids);
  }
});

test('whoever answers first: timeline and page list the people of a step in the stated order', async () => {
  const world = await startWorld({ carriers: { outboundNetworks: ['127.0.0.0/8'] }, publicUrl: 'of the facade' });
  const people = names(8);
  const answers: (() => void)[] = [];
  const hook = await startPeer((_heard, response) => void answers.push(() => response.writeHead(204).end()));
  onTestFinished(hook.stop);
  const owner = await world.account();
  const policyId = await everybody(owner, people, ['webhook', 'push'], 0, (kind, name) =>
    kind === 'webhook' ? `${hook.url}/${name}` : name,
  );
  await press(world, owner, await owner.panicButton({ policyId }));
  await eventually(() => answers.length === people.length, { what: 'all to be asked' });
  for (const [nth, answer] of answers.reverse().entries()) {
    await advanceClock(world.store.pool, 1);
    answer();
    const sent = "SELECT FROM delivery WHERE channel = 'webhook' AND sent_at IS NOT NULL";
    await eventually(async () => (await world.rows(sent)).length > nth, { what: 'the answer to be recorded' });
  }
  await world.settle();

  const [incident] = await owner.incidents();
  const stated = people.flatMap(name => [`${name} webhook`, `${name} push`]);
  expect(incident!.deliveries.map(({ contactName, channel }) => `${contactName} ${channel}`)).toEqual(stated);
  expect(hook.heard.map(({ path }) => path.slice(1))).toEqual(people);
  const { pageUrl } = JSON.parse(hook.heard[0]!.body) as { pageUrl: string };
  const page = await (await fetch(pageUrl)).text();
  const told = people.flatMap(name => [page.indexOf(`${name}, webhook`), page.indexOf(`${name}, push`)]);
  // A page lists the last twelve.
  expect(told.slice(0, 4)).toEqual([-1, -1, -1, -1]);
  expect(told.slice(4)).toEqual(told.slice(4).toSorted((one, other) => one - other));
  expect(told[4]).toBeGreaterThan(-1);
});

test('an engine that was held up sends a first step before the second, though both are due', async () => {
  const world = await startWorld({ carriers: { outboundNetworks: ['127.0.0.0/8'] } });
  const hook = await startPeer((_heard, response) => void response.writeHead(204).end());
  onTestFinished(hook.stop);
  const owner = await world.account();
  const stepOf = async (name: string, delayS: number) => ({
    delayS,
    contacts: [
      { contactId: await owner.contact(name, { webhook: `${hook.url}/${name}` }), channels: ['webhook' as const] },
    ],
  });
  const button = await owner.panicButton({
    policyId: await owner.policy([await stepOf('Anna', 0), await stepOf('Ben', 60)]),
  });
  const holder = await world.store.pool.connect();
  onTestFinished(() => holder.release());
  await holder.query('BEGIN');
  await holder.query('SELECT FROM source_state WHERE source_id = $1 FOR UPDATE', [button]);
  await press(world, owner, button);
  await world.advance(61);
  await holder.query('ROLLBACK');
  await eventually(() => hook.heard.length === 2, { what: 'both steps to be sent' });
  expect(hook.heard.map(({ path }) => path)).toEqual(['/Anna', '/Ben']);
});

/** So many names whose order is no other order of theirs. */
function names(count: number): string[] {
  return Array.from({ length: count }, (_, nth) => `p${(nth * 37) % 101}-${nth}`);
}

/** A policy of one step, so many seconds after the opening, that tells them all over each of these channels. */
async function everybody(
  owner: Owner,
  people: readonly string[],
  channels: readonly ChannelKind[],
  delayS: number,
  addressOf = (kind: ChannelKind, name: string) => `${kind} of ${name}`,
): Promise<string> {
  const contacts = [];
  for (const name of people) {
    const addresses = Object.fromEntries(channels.map(kind => [kind, addressOf(kind, name)]));
    contacts.push({ contactId: await owner.contact(name, addresses), channels: [...channels] });
  }
  return owner.policy([{ delayS, contacts }]);
}

async function press(world: World, owner: Owner, id: string): Promise<void> {
  expect((await world.get(`/v1/panic/${id}/trigger`, await owner.key())).status).toBe(202);
}

/** A worker whose carriers take 5 to 60 ms for each message. What it begins is added to `begun`. */
function slowWorker(world: World, begun: string[]): Engine {
  const slow = (kind: ChannelKind): Channel => ({
    kind,
    atOnce: AT_ONCE[kind],
    async send(_to, { deliveryId }) {
      begun.push(deliveryId);
      await sleep(5 + Math.random() * 55);
      return { kind: 'sent', providerRef: deliveryId };
    },
    async close() {},
  });
  const log = pino({ level: 'silent' });
  const worker = startEngine({
    pool: world.store.pool,
    bus: createLocalBus(),
    channels: {
      byKind: {
        ...createChannels(carriers(null), log).byKind,
        text: slow('text'),
        email: slow('email'),
        push: slow('push'),
      },
      unconfigured: [],
    },
    seal: { seal: plain => plain, open: sealed => sealed },
    links: { wayBackOf: () => null, tokenOf: id => id },
    log,
  });
  onTestFinished(() => worker.close());
  return worker;
}
