import { expect } from 'vitest';
import { eventually } from '../../support/wait.ts';
import { get, type Parts } from './crossed.ts';
import { type ConsoleAt, readsOfTheConsole } from './door.ts';

/** The console reads the same through either facade, whatever it asks. */
export async function consoleReads({ rolling, facades, accountId, key, ids, consoles }: Parts) {
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
  const reads = readsOfTheConsole();
  expect(reads.length).toBeGreaterThan(25);
  const refused: string[] = [];
  for (const { method, fields } of reads) {
    const request = Object.fromEntries(fields.filter(name => name in known).map(name => [name, known[name]]));
    const [one, other] = await Promise.all(consoles.map(console => console.ask(method, request)));
    expect({ method, status: one!.status }).toEqual({ method, status: other!.status });
    if (!OF_THE_VERSION.test(method)) expect({ method, ...atRest(one!) }).toEqual({ method, ...atRest(other!) });
    if (one!.status !== 200) refused.push(method);
  }
  expect(refused).toEqual([]);
}

/** Without what is of the moment at which it was asked, and not of the account. */
function atRest({ status, body }: { status: number; body: Record<string, unknown> }) {
  return { status, body: Object.fromEntries(Object.entries(body).filter(([name]) => !OF_THE_MOMENT.includes(name))) };
}

const OF_THE_MOMENT = ['at'];

/** What a version says of itself, or finds by rules of its own: that may become more with each. Days end at the moment that they are asked for. */
const OF_THE_VERSION =
  /CarrierService|DayService|DeploymentService|GetSchema|ReadinessService|ListSignInWays|IncidentService|ListNotices|ContactService|MemberService/;

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
export async function changesOfTheConsole({ ids, consoles }: Parts) {
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
export async function keysAndIncidents({ rolling, facades, accountId, key, ids, consoles }: Parts) {
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
