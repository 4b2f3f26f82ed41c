import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Bus } from '../../services/changes/bus.ts';
import { type CatchUpOptions, withCatchUp } from '../../services/changes/catch-up.ts';
import { connectNatsBus } from '../../services/changes/nats.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { eventually } from '../support/wait.ts';

/* What becomes of lost signals (services/changes/catch-up.ts), with a real server that is killed and that hangs. */

const SUBJECT = 'tocsin.change.a';

/** A bus that makes good what is lost, who listens on the same connection, and a count of what goes on below it. */
async function aPublisher(options: Partial<CatchUpOptions> = {}) {
  const log = pino({ level: 'silent' });
  const server = await startNatsServer();
  onTestFinished(() => server.stop());
  const nats = await connectNatsBus({ servers: server.url, log });
  const counts = { published: 0, answered: 0 };
  const counted: Bus = Object.create(nats, {
    publish: {
      value: (subject: string, payload: unknown) => {
        counts.published += 1;
        nats.publish(subject, payload);
      },
    },
    flush: {
      value: async () => {
        await nats.flush();
        counts.answered += 1;
      },
    },
  });
  const bus = withCatchUp(counted, { recent: async () => [], log, confirmEveryMs: 20, ...options });
  onTestFinished(() => bus.close());
  const received: unknown[] = [];
  bus.subscribe('tocsin.change.*', payload => received.push(payload));
  await bus.flush();

  /** Until the server has answered a question that was asked after this: the first answer may be to an earlier one. */
  const confirmed = async () => {
    for (const _ of [1, 2]) {
      const before = counts.answered;
      bus.publish('tocsin.other');
      await eventually(() => counts.answered > before, { what: 'the server to confirm what was sent' });
    }
  };
  const lose = async () => {
    await server.kill();
    await eventually(() => !bus.connected, { what: 'the loss to be noticed' });
  };
  const backAgain = async () => {
    await server.restart();
    await bus.flush();
    await bus.flush();
  };
  return { server, nats, bus, counts, received, confirmed, lose, backAgain };
}

test('what was published while the server was away goes out once it is back, each once, however often it was said', async () => {
  const { bus, received, lose, backAgain } = await aPublisher();
  await lose();
  for (const payload of ['one', 'two', 'one', 'one']) bus.publish(SUBJECT, payload);
  bus.publish('tocsin.change.b', 'one');
  await backAgain();
  expect(received).toEqual(['one', 'two', 'one']);
});

test('what went into a connection that was lost without an answer goes out again', async () => {
  const { server, bus, received, lose, backAgain } = await aPublisher();
  server.freeze();
  bus.publish(SUBJECT, 'into the dark');
  await lose();
  await backAgain();
  expect(received).toEqual(['into the dark']);
});

test('what the server is known to have is not sent again', async () => {
  const { bus, received, confirmed, lose, backAgain } = await aPublisher();
  bus.publish(SUBJECT, 'arrived');
  await confirmed();
  expect(received).toEqual(['arrived']);
  await lose();
  bus.publish(SUBJECT, 'lost');
  await backAgain();
  expect(received).toEqual(['arrived', 'lost']);
});

test('what was dropped while the server hung goes out when it answers again, though no connection was lost', async () => {
  const { server, nats, bus, received } = await aPublisher();
  server.freeze();
  for (let n = 0; nats.dropped === 0; n += 1) nats.publish('tocsin.other', n);
  bus.publish(SUBJECT, 'dropped');
  server.thaw();
  await eventually(() => received.length > 0, { what: 'the dropped message' });
  expect(received).toEqual(['dropped']);
});

test('of more than it remembers, the database is asked what changed, until it says so', async () => {
  const asked: number[] = [];
  const recent = async (seconds: number) => {
    asked.push(seconds);
    if (asked.length === 1) throw new Error('The database is away too.');
    return Array.from({ length: 2_500 }, (_, n) => ({ subject: `tocsin.change.${n}`, payload: `recent ${n}` }));
  };
  const { bus, received, lose, backAgain } = await aPublisher({ most: 3, recent });
  await lose();
  for (const n of [1, 2, 3, 4, 5]) bus.publish(SUBJECT, n);
  await backAgain();
  await eventually(() => received.length >= 2_503, { what: 'everything recent' });
  expect(received.slice(0, 3)).toEqual([1, 2, 3]);
  expect(new Set(received.slice(3)).size).toBe(2_500);
  expect(asked.length).toBe(2);
  for (const seconds of asked) expect(seconds).toBeGreaterThanOrEqual(60);
});

test('more than it remembers costs no question when all of it arrived', async () => {
  const asked: number[] = [];
  const recent = async (seconds: number) => {
    asked.push(seconds);
    return [];
  };
  const { bus, received, confirmed, lose, backAgain } = await aPublisher({ most: 3, recent });
  for (const n of [1, 2, 3, 4, 5]) bus.publish(SUBJECT, n);
  await confirmed();
  await lose();
  await backAgain();
  await confirmed();
  expect(received).toEqual([1, 2, 3, 4, 5]);
  expect(asked).toEqual([]);
});

test('a message that no server takes is given up, and holds up no other', async () => {
  const { bus, counts, received, confirmed } = await aPublisher();
  const tooLarge = 'x'.repeat(2_000_000);
  bus.publish(SUBJECT, tooLarge);
  await eventually(() => counts.published >= 6, { what: 'all its attempts' });
  await confirmed();
  const before = counts.published;
  bus.publish(SUBJECT, 'small');
  await confirmed();
  expect(counts.published - before).toBe(3);
  expect(received).toEqual(['small']);
});
