import type { Pool } from 'pg';
import type { Device, DeviceOutcome, Devices, PushKey, PushTools, Subscription } from '../channels/devices.ts';
import { newId } from '../store/id.ts';
import type { Seal } from '../store/seal.ts';
import { type Connection, inTransaction } from '../store/statement.ts';
import { noteTold, readDevices, readNow, removeDevice, webPushKey } from '../store/statements/device.ts';
import { noWrites, writeAll } from '../store/statements/write.ts';

/** The browsers of contacts as the database keeps them, sealed. The key is read once a process. */
export function createDevices(on: { pool: Pool; seal: Seal; tools: PushTools }): Devices {
  const { pool, seal, tools } = on;
  let key: PushKey | null = null;

  /** One that cannot be opened is passed by: the others ring. */
  function opened({ id, subscription }: { id: string; subscription: string }): Device[] {
    try {
      return [{ id, ...(JSON.parse(seal.open(subscription)) as Subscription) }];
    } catch {
      return [];
    }
  }

  return {
    async key() {
      if (key !== null) return key;
      const sealed = await webPushKey(pool, () => seal.seal(JSON.stringify(tools.newKey())));
      try {
        key = JSON.parse(seal.open(sealed)) as PushKey;
      } catch {
        return null;
      }
      return key;
    },
    refusalOf: tools.refusalOf,
    async of(accountId, contactId) {
      return (await readDevices(pool, { accountId, contactId })).flatMap(opened);
    },
    async told(accountId, contactId, outcomes) {
      await noteTold(pool, { accountId, contactId }, outcomes.flatMap(notedOf));
      for (const { id, is } of outcomes) {
        if (is === 'gone') await inTransaction(pool, client => drop(client, { accountId, contactId }, id));
      }
    },
  };
}

function notedOf(outcome: DeviceOutcome): { id: string; fault: string }[] {
  if (outcome.is === 'gone') return [];
  return [{ id: outcome.id, fault: outcome.is === 'sent' ? '' : outcome.reason.slice(0, 300) }];
}

/** Removes a device whose browser wants no more messages, and has its person told over their other ways. */
async function drop(client: Connection, of: { accountId: string; contactId: string }, id: string): Promise<void> {
  const gone = await removeDevice(client, of, id);
  if (gone !== null) await tellOfDevice(client, of, 'device_gone', gone.name);
}

/** Writes that a contact has a device more, or less, for their other ways. Call it in the transaction that does it. */
export async function tellOfDevice(
  client: Connection,
  { accountId, contactId }: { accountId: string; contactId: string },
  kind: 'device_added' | 'device_gone',
  name: string,
): Promise<void> {
  const id = newId();
  const at = (await readNow(client)).getTime();
  const notice = { accountId, id, kind, once: id, incidentId: null, contactId, about: { names: name }, at };
  await writeAll(client, { ...noWrites(), notices: [notice] });
}
