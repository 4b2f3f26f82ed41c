import { newOwner } from '../../support/console.ts';
import type { Neighbour } from '../../support/neighbour.ts';
import { type Part, startRolling } from './deployment.ts';
import { signIn } from './door.ts';

/** Two facades, each before services of the other version, and an account with things to call. */
export async function crossed(next: Pick<Neighbour, 'folder'>) {
  const rolling = await startRolling(next);
  const services = [await rolling.services('this'), await rolling.services('next')] as const;
  const [these, those] = services;
  const facades = [await rolling.facade('this', those), await rolling.facade('next', these)];
  const operator = rolling.operator;
  const { accountId, console: own } = await newOwner({ rpcUrl: these.url, operator });
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
  const { duty } = await own.duties.createDuty({
    duty: { name: 'Nights', timeZone: 'Europe/Vienna', otherwise: { contactIds: [contact!.id] } },
  });
  const { secret } = await own.duties.rotateFeed({ dutyId: duty!.id });
  const { apiKey, secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: 'Panel' } });
  return {
    rolling,
    accountId,
    key,
    services,
    facades,
    ids: {
      locationId: location!.id,
      contactId: contact!.id,
      policyId: policy!.id,
      alarmId: alarm.id,
      panicButtonId: button.id,
      sourceId: alarm.id,
      apiKeyId: apiKey!.id,
      dutyId: duty!.id,
      secret,
      days: '14',
    },
    consoles: await signIn(
      facades.map(({ url }) => url),
      operator,
      accountId,
    ),
  };
}

/** Them and what was made on them. */
export type Parts = Awaited<ReturnType<typeof crossed>>;

/** A call of /v1 at a facade. */
export async function get({ url }: Part, path: string, key: string) {
  const response = await fetch(`${url}/v1/${path}`, { headers: { 'x-api-key': key } });
  return { status: response.status, body: (await response.json()) as { traceId: string; data: unknown } };
}
