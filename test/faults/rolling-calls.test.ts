import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { consoleOf } from '../support/console.ts';
import { eventually } from '../support/wait.ts';
import { changesOfTheConsole, keysAndIncidents, readsOfTheConsole } from './rolling/console-calls.ts';
import { crossed, get, type Parts } from './rolling/crossed.ts';
import type { Part, Rolling, Version } from './rolling/deployment.ts';
import { versionBefore } from './rolling/version-before.ts';

/*
 * Every class of calls between the parts of two versions that run beside each other: the facade of the version before asks
 * services of this one, and this one's facade asks services of the version before. Clients of the RPC port are of this version.
 */
vi.setConfig({ testTimeout: 300_000 });

test('parts of two versions understand each other: calls of /v1, of the RPC port, of the console and of the command line', async () => {
  const parts = await crossed();
  await callsOfV1(parts);
  await callsOfTheRpcPort(parts);
  await readsOfTheConsole(parts);
  await changesOfTheConsole(parts);
  await keysAndIncidents(parts);
  await commandLines(parts);
  expect(parts.rolling.said()).not.toContain('unexpected error');
});

/** What a call came to, as services tell; null: it is not applied yet. */
async function outcomeOf({ operator }: Rolling, { url: rpcUrl }: Part, accountId: string, traceId: string) {
  const { call } = await consoleOf({ rpcUrl }, operator, accountId).incidents.findCall({ traceId });
  return call!.outcome === 'accepted' ? null : call!.outcome;
}

/** Each call of /v1 comes to the same through either facade, and both read the same afterwards. */
async function callsOfV1({ rolling, facades, services, accountId, key, ids }: Parts) {
  /** What is called, and what it comes to; a number: what it is answered, and nothing comes of it. */
  const round = [
    ['alarm', 'trigger', 404],
    ['alarm', 'arm', 'armed'],
    ['alarm', 'arm/night', 'armed'],
    ['alarm', 'arm/beach', 404],
    ['alarm', 'trigger', 'opened'],
    ['alarm', 'trigger/night', 'folded'],
    ['alarm', 'clear', 'closed'],
    ['panic', 'trigger', 'opened'],
    ['panic', 'trigger', 'folded'],
    ['panic', 'clear', 'closed'],
    ['panic', 'clear', 'nothing_open'],
    ['alarm', 'disarm', 'disarmed'],
  ] as const;
  for (const first of [0, 1]) {
    for (const [turn, [kind, action, becomes]] of round.entries()) {
      const at = (first + turn) % 2;
      const id = kind === 'alarm' ? ids.alarmId : ids.panicButtonId;
      const { status, body } = await get(facades[at]!, `${kind}/${id}/${action}`, key);
      expect({ action, status }).toEqual({ action, status: becomes === 404 ? 404 : 202 });
      if (becomes === 404) continue;
      // Told by the services that this facade does not ask.
      const others = services.find(({ version }) => version === facades[at]!.version)!;
      const outcome = await eventually(() => outcomeOf(rolling, others, accountId, body.traceId), {
        what: `${action} to be applied`,
      });
      expect({ action, outcome }).toEqual({ action, outcome: becomes });
      const [one, other] = await Promise.all(facades.map(facade => get(facade, 'integration/state', key)));
      expect(one!.body.data).toEqual(other!.body.data);
    }
  }
  const [one, other] = await Promise.all(facades.map(facade => get(facade, 'integration/describe', key)));
  expect(one!.status).toBe(200);
  expect(one!.body.data).toEqual(other!.body.data);
  for (const facade of facades) expect((await get(facade, 'integration/state', 'nonsense')).status).toBe(401);
  await eventually(() => rolling.smtp.mails.length === 4, { what: 'a mail of each incident' });
}

/** Clients of the RPC port call either services, and hear at either what is called at the other. */
async function callsOfTheRpcPort({ rolling, services, accountId, key, ids }: Parts) {
  const withKey = { headers: { 'x-api-key': key } };
  const { alarmId, panicButtonId: panicId } = ids;
  for (const [at, hears] of [services, services.toReversed()] as const) {
    const gone = new AbortController();
    onTestFinished(() => gone.abort());
    const inventory = createClient(InventoryService, createGrpcTransport({ baseUrl: hears!.url }));
    const watch = inventory.watchChanges({}, { ...withKey, signal: gone.signal })[Symbol.asyncIterator]();
    /** Reads at each signal, and at nothing else, until the alarm is shown so. */
    const shows = async (state: string) => {
      for (let shown = ''; shown !== state; ) {
        await watch.next();
        const { alarms } = await inventory.getState({}, withKey);
        shown = alarms.find(({ id }) => id === alarmId)!.state;
      }
    };
    await shows('disarmed');
    const alarms = createClient(AlarmService, createConnectTransport({ baseUrl: at!.url, httpVersion: '2' }));
    await alarms.arm({ alarmId, modeId: 'night' }, withKey);
    await shows('night');
    await alarms.trigger({ alarmId }, withKey);
    await shows('triggered');
    await alarms.clear({ alarmId }, withKey);
    await shows('night');
    await alarms.triggerPanic({ panicId }, withKey);
    await alarms.clearPanic({ panicId }, withKey);
    await alarms.disarm({ alarmId }, withKey);
    const { calls } = await consoleOf({ rpcUrl: hears!.url }, rolling.operator, accountId).incidents.listCalls({
      pageSize: 1,
    });
    expect(calls.map(({ verb }) => verb)).toEqual(['disarm']);
    gone.abort();
  }
}

/** The command line of either version works at services of the other, and says the same of what both know. */
async function commandLines({ rolling, services, accountId }: Parts) {
  const lines = { before: await tocsinOf('before'), now: await tocsinOf('now') };
  const at = (part: Part) => ({
    TOCSIN_RPC_URL: part.url,
    TOCSIN_TOKEN: rolling.operator,
    TOCSIN_ACCOUNT: accountId,
  });
  const crossings = services.map(part => ({ line: lines[part.version === 'now' ? 'before' : 'now'], part }));
  for (const [nth, { line, part }] of crossings.entries()) {
    expect(await line(at(part), 'locations', 'create', '--name', `Barn ${nth}`)).toMatchObject({
      location: { name: `Barn ${nth}` },
    });
  }
  for (const command of [
    ['locations', 'list'],
    ['alarms', 'list'],
    ['keys', 'list'],
    ['incidents', 'list'],
    ['config', 'export'],
  ]) {
    const [one, other] = await Promise.all(crossings.map(({ line, part }) => line(at(part), ...command)));
    // The first line is this version's, which may know more.
    // This version tells nobody the code by which a person replies.
    const withoutCode = (said: unknown) => JSON.parse(JSON.stringify(said).replaceAll(/"replyCode":"\w*",?/g, ''));
    expect({ command, said: withoutCode(one) }).toMatchObject({ command, said: withoutCode(other) });
    if (command[0] === 'locations') expect(JSON.stringify(one)).toMatch(/Home.*Barn 0.*Barn 1/);
  }
}

/** The command line of a version, as a person starts it; gives what it printed as JSON. */
async function tocsinOf(version: Version) {
  const folder = version === 'before' ? await versionBefore() : fileURLToPath(new URL('../..', import.meta.url));
  const { PATH = '', HOME = '' } = process.env;
  return async (env: Record<string, string>, ...command: string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(
      join(folder, 'facade', 'cli', 'bin', 'tocsin'),
      [...command, '--json'],
      {
        env: { PATH, HOME, ...env },
      },
    );
    return JSON.parse(stdout);
  };
}
