import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { catchUp } from '../../services/changes/catch-up.ts';
import { connectNatsBus } from '../../services/changes/nats.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { eventually } from '../support/wait.ts';

/* What becomes of lost signals (services/changes/catch-up.ts), with a real server that is killed and that hangs. */

test.each([
  ['was away', 'killed'],
  ['hung', 'frozen'],
] as const)(
  'what was committed while the server %s is signalled once it is back, however much it is',
  async (_, how) => {
    const log = pino({ level: 'silent' });
    const server = await startNatsServer();
    onTestFinished(() => server.stop());
    const bus = await connectNatsBus({ servers: server.url, log, silenceMs: 300 });
    onTestFinished(() => bus.close());
    const asked: number[] = [];
    const recent = async (seconds: number) => {
      asked.push(seconds);
      if (asked.length === 1) throw new Error('The database is away.');
      return Array.from({ length: 2_500 }, (_, n) => ({ subject: `tocsin.change.${n}`, payload: n }));
    };
    await catchUp(bus, { recent, log });
    const received = new Set<unknown>();
    bus.subscribe('tocsin.change.*', payload => received.add(payload));
    await bus.flush();
    if (how === 'killed') await server.kill();
    else server.freeze();
    await eventually(() => !bus.connected, { what: 'the loss to be noticed', within: 10_000 });
    bus.publish('tocsin.change.7', 7);
    if (how === 'killed') await server.restart();
    else server.thaw();
    await eventually(() => received.size === 2_500, { what: 'everything recent', within: 15_000 });
    // The last minute, and for as long as messages may have been lost.
    expect(asked[0]).toBe(60);
    expect(asked[1]).toBeGreaterThan(60);
    expect(asked[1]).toBeLessThan(90);
  },
  30_000,
);
