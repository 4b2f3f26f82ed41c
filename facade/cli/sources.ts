import { Code, ConnectError } from '@connectrpc/connect';
import { suggestion } from '../../services/process/suggest.ts';
import { CliFault, EXIT } from './exit.ts';
import type { Rpc } from './rpc.ts';

const ID = /^[a-z0-9]{32}$/;

/**
 * Returns the id of the alarm or panic button that `reference` names by id or key. An id passes even if there is
 * nothing with it now: incidents outlive their sources. Throws a not-found fault for an unknown key.
 */
export async function sourceId(rpc: Rpc, reference: string): Promise<string> {
  const alarm = await unlessMissing(async () => (await rpc.alarms.getAlarm({ alarmId: reference })).alarm!.id);
  if (alarm !== null) return alarm;
  const button = await unlessMissing(
    async () => (await rpc.panicButtons.getPanicButton({ panicButtonId: reference })).panicButton!.id,
  );
  if (button !== null) return button;
  if (ID.test(reference)) return reference;
  const near = await nearSource(rpc, reference);
  const todo =
    near === '' ? 'tocsin alarms list and tocsin panic-buttons list show their keys.' : `did you mean ${near}?`;
  throw new CliFault(
    EXIT.notFound,
    `There is no alarm or panic button ${JSON.stringify(reference)} in this account: ${todo}`,
  );
}

/**
 * Returns the id of the contact that `reference` names by id or key. An id passes even if there is nobody with it now, as above.
 * Throws what Connect throws for an unknown key.
 */
export async function contactId(rpc: Rpc, reference: string): Promise<string> {
  const find = async () => (await rpc.contacts.getContact({ contactId: reference })).contact!.id;
  return ID.test(reference) ? ((await unlessMissing(find)) ?? reference) : find();
}

/** Returns the key among the first 200 of each kind that was probably meant; empty if nothing comes near. */
async function nearSource(rpc: Rpc, reference: string): Promise<string> {
  const [{ alarms }, { panicButtons }] = await Promise.all([
    rpc.alarms.listAlarms({ pageSize: 200 }),
    rpc.panicButtons.listPanicButtons({ pageSize: 200 }),
  ]);
  return suggestion(
    reference,
    [...alarms, ...panicButtons].map(({ key }) => key),
  );
}

/**
 * Returns the incident that `reference` names: by its id, or by id or key of an alarm or panic button, which means its
 * newest one, or its open one if requested. Throws a not-found fault if there is none.
 */
export async function incidentId(rpc: Rpc, reference: string, status: 'open' | ''): Promise<string> {
  if (ID.test(reference)) {
    const known = await unlessMissing(() => rpc.incidents.getIncident({ incidentId: reference }));
    if (known !== null) return reference;
  }
  const source = await sourceId(rpc, reference);
  const { incidents } = await rpc.incidents.listIncidents({ sourceId: source, status, pageSize: 1 });
  const [incident] = incidents;
  if (incident !== undefined) return incident.id;
  throw new CliFault(EXIT.notFound, `${reference} has no ${status === '' ? '' : `${status} `}incident.`);
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return null;
    throw error;
  }
}
