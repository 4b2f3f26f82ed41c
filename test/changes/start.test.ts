import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { connectNatsBus } from '../../services/changes/nats.ts';
import { readConfig } from '../../services/start/config.ts';
import { openFoundations } from '../../services/start/foundations.ts';
import { consoleOf, newOwner } from '../support/console.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { eventually } from '../support/wait.ts';
import { PEPPER, startWorld } from '../support/world.ts';

test('a start signals what was committed during the last minute by a process that died before it could', async () => {
  const log = pino({ level: 'silent' });
  const server = await startNatsServer();
  onTestFinished(() => server.stop());
  const reader = await connectNatsBus({ servers: server.url, log });
  onTestFinished(() => reader.close());
  const heard: string[] = [];
  reader.subscribe('tocsin.change.*', (payload, subject) => {
    const { kind, alarmId } = payload as { kind: string; alarmId: string };
    heard.push(`${subject.split('.').at(-1)} ${kind} ${alarmId}`);
  });
  await reader.flush();

  // Nothing of this world ever reaches NATS, as if its process died after each commit.
  const world = await startWorld();
  const trigger = async () => {
    const owner = await world.account();
    const alarmId = await owner.alarm();
    expect((await world.get(`/v1/alarm/${alarmId}/trigger`, await owner.key())).status).toBe(202);
    await world.settle();
    return owner;
  };
  const longAgo = await trigger();
  const configured = await newOwner(world);
  await configured.console.contacts.createContact({ contact: { name: 'Anna' } });
  await world.advance(61);
  const justNow = await trigger();
  const { locations } = consoleOf(world, world.operator, configured.accountId);
  await locations.createLocation({ location: { name: 'Home' } });
  await configured.console.contacts.createContact({ contact: { name: 'Ben' } });

  const running = new AsyncDisposableStack();
  onTestFinished(() => running.disposeAsync());
  const settings = { DATABASE_URL: world.databaseUrl, KEY_PEPPER: PEPPER, DATA_KEY: '0'.repeat(64) };
  await openFoundations(readConfig({ ...settings, NATS_URL: server.url }), log, running);
  const expected = [
    `${justNow.accountId} state `,
    `${configured.accountId} inventory `,
    `${configured.accountId} state `,
  ].sort();
  await eventually(() => heard.length >= expected.length, { what: 'the signals of the start' });
  await reader.flush();
  expect(heard.toSorted()).toEqual(expected);
  expect(heard.join()).not.toContain(longAgo.accountId);
});
