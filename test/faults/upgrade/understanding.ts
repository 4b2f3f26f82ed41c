import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { expect, onTestFinished } from 'vitest';
import { AlarmService } from '../../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { InventoryService } from '../../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { consoleOf } from '../../support/console.ts';
import type { Neighbour } from '../../support/neighbour.ts';
import { eventually } from '../../support/wait.ts';
import { makeAccount } from '../cluster/deployment.ts';
import { get, type Parts } from './crossed.ts';
import { type Part, type Rolling, startRolling } from './deployment.ts';

/*
 * The classes of calls between the parts of two versions that run beside each other: the facade of either asks services
 * of the other. Clients of the RPC port are of this version.
 */

/** What a call came to, as services tell; null: it is not applied yet. */
async function outcomeOf({ operator }: Rolling, { url: rpcUrl }: Part, accountId: string, traceId: string) {
  const { call } = await consoleOf({ rpcUrl }, operator, accountId).incidents.findCall({ traceId });
  return call!.outcome === 'accepted' ? null : call!.outcome;
}

/** A version by itself takes a call, applies it and shows it. */
export async function worksAlone(next: Pick<Neighbour, 'folder'>) {
  const rolling = await startRolling(next);
  const services = await rolling.services('next');
  const facade = await rolling.facade('next', services);
  const { alarmIds, key } = await makeAccount({ rpcUrl: services.url, operator: rolling.operator }, 1);
  expect((await get(facade, `alarm/${alarmIds[0]}/trigger`, key)).status).toBe(202);
  const alarms = [{ id: alarmIds[0], state: 'triggered' }];
  const shown = async () => {
    expect((await get(facade, 'integration/state', key)).body.data).toMatchObject({ alarms });
    return true;
  };
  await eventually(shown, { what: 'the trigger to be applied' });
}

/** Each call of /v1 comes to the same through either facade, and both read the same afterwards. */
export async function callsOfV1({ rolling, facades, services, accountId, key, ids }: Parts) {
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
export async function callsOfTheRpcPort({ rolling, services, accountId, key, ids }: Parts) {
  const withKey = { headers: { 'x-api-key': key } };
  const { alarmId, panicButtonId: panicId } = ids;
  for (const [at, hears] of [services, services.toReversed()]) {
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
export async function commandLines({ rolling, services, accountId }: Parts, next: Pick<Neighbour, 'folder'>) {
  const folders = { this: fileURLToPath(new URL('../../..', import.meta.url)), next: next.folder };
  const { PATH = '', HOME = '' } = process.env;
  const at = ({ version, url }: Part, ...words: string[]) => {
    const program = join(folders[version === 'this' ? 'next' : 'this'], 'facade', 'cli', 'bin', 'tocsin');
    const env = { PATH, HOME, TOCSIN_RPC_URL: url, TOCSIN_TOKEN: rolling.operator, TOCSIN_ACCOUNT: accountId };
    return promisify(execFile)(program, [...words, '--json'], { env }).then(({ stdout }) => JSON.parse(stdout));
  };
  for (const [nth, part] of services.entries()) {
    const created = await at(part, 'locations', 'create', '--name', `Barn ${nth}`);
    expect(created).toMatchObject({ location: { name: `Barn ${nth}` } });
  }
  for (const words of [
    ['locations', 'list'],
    ['alarms', 'list'],
    ['incidents', 'list'],
    ['config', 'export'],
  ]) {
    const [one, other] = await Promise.all(services.map(part => at(part, ...words)));
    expect({ words, said: one }).toEqual({ words, said: other });
  }
}
