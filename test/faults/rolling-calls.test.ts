import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { consoleOf, newOwner } from '../support/console.ts';
import { eventually } from '../support/wait.ts';
import { type Part, type Rolling, startRolling, type Version } from './rolling/deployment.ts';
import { type ConsoleAt, readsOfBoth, signIn } from './rolling/door.ts';
import { versionBefore } from './rolling/version-before.ts';

/*
 * Every class of calls between the parts of two versions that run beside each other: the facade of the version before asks
 * services of this one, and this one's facade asks services of the version before. Clients of the RPC port are of this version.
 */
vi.setConfig({ testTimeout: 300_000 });

/** Two facades, each before services of the other version, and an account with things to call. */
async function crossed() {
  const rolling = await startRolling();
  const oldServices = await rolling.services('before');
  const newServices = await rolling.services('now');
  const facades = [await rolling.facade('before', newServices), await rolling.facade('now', oldServices)];
  const operator = rolling.operator;
  const { accountId, console: own } = await newOwner({ rpcUrl: oldServices.url, operator });
  const { location } = await own.locations.createLocation({ location: { name: 'Home', address: '1 Elm Street' } });
  const channels = [{ channel: 'email', address: 'anna@example.com' }];
  const { contact } = await own.contacts.createContact({ contact: { name: 'Anna', channels } });
  const steps = [{ contacts: [{ contactId: contact!.id, channels: ['email'] }] }];
  const { policy } = await own.policies.createPolicy({ policy: { name: 'Anna', steps } });
  const modes = ['away', 'night'].map(id => ({ id, name: id, policyId: policy!.id }));
  const made = { locationId: location!.id, test: false };
  const alarm = (await own.alarms.createAlarm({ alarm: { ...made, name: 'House', onlyWhenArmed: true, modes } }))
    .alarm!;
  const panicButton = { ...made, name: 'Button', responseKind: 'fire', policyId: policy!.id };
  const button = (await own.panicButtons.createPanicButton({ panicButton })).panicButton!;
  const { apiKey, secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: 'Panel' } });
  return {
    rolling,
    accountId,
    key,
    services: [oldServices, newServices],
    facades,
    ids: {
      locationId: location!.id,
      contactId: contact!.id,
      policyId: policy!.id,
      alarmId: alarm.id,
      panicButtonId: button.id,
      sourceId: alarm.id,
      apiKeyId: apiKey!.id,
    },
    consoles: await signIn(
      facades.map(({ url }) => url),
      operator,
      accountId,
    ),
  };
}

type Parts = Awaited<ReturnType<typeof crossed>>;

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

async function get({ url }: Part, path: string, key: string) {
  const response = await fetch(`${url}/v1/${path}`, { headers: { 'x-api-key': key } });
  return { status: response.status, body: (await response.json()) as { traceId: string; data: unknown } };
}

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

/** The console reads the same through either facade, whatever it asks that both versions know. */
async function readsOfTheConsole({ rolling, facades, accountId, key, ids, consoles }: Parts) {
  const { body } = await get(facades[0]!, `panic/${ids.panicButtonId}/trigger`, key);
  const incidentId = await eventually(
    async () => {
      const rows = 'SELECT id FROM incident WHERE account_id = $1';
      return (await rolling.rows<{ id: string }>(rows, [accountId]))[0]?.id;
    },
    { what: 'the incident' },
  );
  const waiting = "SELECT FROM delivery WHERE status IN ('scheduled', 'sending')";
  await eventually(async () => (await rolling.rows(waiting)).length === 0, { what: 'its mail to be sent' });
  const known: Record<string, string> = { ...ids, incidentId, traceId: body.traceId };
  const reads = await readsOfBoth();
  expect(reads.length).toBeGreaterThan(25);
  const refused: string[] = [];
  for (const { method, fields } of reads) {
    const request = Object.fromEntries(fields.filter(name => name in known).map(name => [name, known[name]]));
    const [one, other] = await Promise.all(consoles.map(console => console.ask(method, request)));
    expect({ method, ...atRest(one!) }).toEqual({ method, ...atRest(other!) });
    if (one!.status !== 200) refused.push(method);
  }
  expect(refused).toEqual([]);
}

/** Without what is of the moment at which it was asked, and not of the account. */
function atRest({ status, body }: { status: number; body: Record<string, unknown> }) {
  return { status, body: Object.fromEntries(Object.entries(body).filter(([name]) => !OF_THE_MOMENT.includes(name))) };
}

const OF_THE_MOMENT = ['at', 'databaseMs', 'snapshotKind', 'snapshotName', 'snapshotHeldS'];

/** What has to be there before a thing can be made. */
function neededBy(name: (typeof THINGS)[number]['name'], { locationId, contactId }: Parts['ids']): object {
  if (name === 'Policy') return { steps: [{ contacts: [{ contactId, channels: ['email'] }] }] };
  return name === 'Alarm' || name === 'PanicButton' ? { locationId } : {};
}

/** What owners have, with what a form would say of one. */
const THINGS = [
  { service: 'LocationService', name: 'Location', field: 'location', made: { name: 'Barn' } },
  { service: 'ContactService', name: 'Contact', field: 'contact', made: { name: 'Cleo' } },
  { service: 'PolicyService', name: 'Policy', field: 'policy', made: { name: 'Nobody' } },
  { service: 'AlarmService', name: 'Alarm', field: 'alarm', made: { name: 'Shed' } },
  {
    service: 'PanicButtonService',
    name: 'PanicButton',
    field: 'panicButton',
    made: { name: 'Bell', responseKind: 'fire' },
  },
] as const;

/** What is made through one facade is shown, changed and deleted through the other, and no change is overwritten. */
async function changesOfTheConsole({ ids, consoles }: Parts) {
  for (const [here, there] of [consoles, consoles.toReversed()] as [ConsoleAt, ConsoleAt][]) {
    for (const { service, name, field, made } of THINGS) {
      const needed = neededBy(name, ids);
      const done = async (at: ConsoleAt, method: string, request: object) => {
        const { status, body } = await at.ask(`console.v1.${service}/${method}${name}`, request);
        expect({ method: method + name, status, ...(status !== 200 && body) }).toEqual({
          method: method + name,
          status: 200,
        });
        return body[field] as { id: string; version: number; name: string };
      };
      const first = await done(here, 'Create', { [field]: { ...made, ...needed } });
      const changed = await done(there, 'Update', { [field]: { ...first, name: 'Another name' }, updateMask: 'name' });
      const late = await here.ask(`console.v1.${service}/Update${name}`, {
        [field]: { ...first, name: 'Too late' },
        updateMask: 'name',
      });
      expect({ name, status: late.status }).toEqual({ name, status: 409 });
      expect(await done(here, 'Get', { [`${field}Id`]: first.id })).toMatchObject({ name: 'Another name' });
      await done(here, 'Delete', { [`${field}Id`]: first.id, version: changed.version });
      const gone = await there.ask(`console.v1.${service}/Get${name}`, { [`${field}Id`]: first.id });
      expect({ name, status: gone.status }).toEqual({ name, status: 404 });
    }
  }
}

/** A key is made, rotated and revoked, and an incident acknowledged and closed, each through the other facade. */
async function keysAndIncidents({ rolling, facades, accountId, key, ids, consoles }: Parts) {
  for (const [here, there] of [consoles, consoles.toReversed()] as [ConsoleAt, ConsoleAt][]) {
    const keys = 'console.v1.ApiKeyService';
    const made = (await here.ask(`${keys}/CreateApiKey`, { apiKey: { label: 'Gate' } })).body;
    const { id: apiKeyId } = made.apiKey as { id: string };
    const opens = async (secret: string) =>
      Promise.all(facades.map(async facade => (await get(facade, 'integration/state', secret)).status));
    expect(await opens(made.secret as string)).toEqual([200, 200]);
    const rotated = (await there.ask(`${keys}/RotateApiKey`, { apiKeyId, overlapS: 0 })).body;
    expect([await opens(rotated.secret as string), await opens(made.secret as string)]).toEqual([
      [200, 200],
      [401, 401],
    ]);
    await here.ask(`${keys}/RevokeApiKey`, { apiKeyId });
    expect(await opens(rotated.secret as string)).toEqual([401, 401]);

    await get(facades[0]!, `panic/${ids.panicButtonId}/trigger`, key);
    const incidentId = await eventually(
      async () => {
        const open = "SELECT id FROM incident WHERE account_id = $1 AND status = 'open'";
        return (await rolling.rows<{ id: string }>(open, [accountId]))[0]?.id;
      },
      { what: 'the incident' },
    );
    const incidents = 'incident.v1.IncidentService';
    const acknowledged = await here.ask(`${incidents}/Acknowledge`, { incidentId, by: 'Anna' });
    expect(acknowledged.body).toMatchObject({ outcome: 'acknowledged' });
    const { body: shown } = await there.ask(`${incidents}/GetIncident`, { incidentId });
    expect(shown.incident).toMatchObject({ acknowledgedBy: 'Anna' });
    expect((await there.ask(`${incidents}/Acknowledge`, { incidentId })).body).toMatchObject({
      outcome: 'already_acknowledged',
    });
    expect((await there.ask(`${incidents}/Close`, { incidentId })).body).toMatchObject({ outcome: 'closed' });
    expect((await here.ask(`${incidents}/Close`, { incidentId })).body).toMatchObject({ outcome: 'already_closed' });
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
    expect({ command, said: one }).toEqual({ command, said: other });
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
