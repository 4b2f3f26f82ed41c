import { expect } from 'vitest';
import { newOwner } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import type { Rolling } from './deployment.ts';

/** In seconds: how long the windows of the family's alarms are, and when its second step follows the first. */
const WINDOW_S = 3;
const STEP_S = 2;

/** An account whose alarms alert two people by email, the second one a step later. */
export interface Family {
  /** Triggers alarms that nothing has triggered yet, each at the next of these doors. */
  trigger(alarms: number, doors: readonly string[]): Promise<void>;
  /**
   * Waits for the end of all that these triggers began: each opened one incident when its window ended, each of that told Anna and
   * then Ben, and each of them got one mail of it. Throws what is otherwise.
   */
  toldOnce(): Promise<void>;
}

/** Makes such an account at the RPC port of services, with so many alarms. */
export async function aFamily(rolling: Rolling, rpcUrl: string, alarms: number): Promise<Family> {
  const { accountId: id, console: own } = await newOwner({ rpcUrl, operator: rolling.operator });
  const { location } = await own.locations.createLocation({ location: { name: 'Home' } });
  const contacts = [];
  for (const name of ['Anna', 'Ben']) {
    const channels = [{ channel: 'email', address: `${name.toLowerCase()}@example.com` }];
    contacts.push((await own.contacts.createContact({ contact: { name, channels } })).contact!);
  }
  const steps = contacts.map(({ id: contactId }, nth) => ({
    delayS: nth * STEP_S,
    contacts: [{ contactId, channels: ['email'] }],
  }));
  const { policy } = await own.policies.createPolicy({ policy: { name: 'Everybody', steps } });
  const modes = [{ id: 'away', name: 'Away', policyId: policy!.id, windowS: WINDOW_S }];
  const untouched: string[] = [];
  for (let nth = 0; nth < alarms; nth++) {
    const alarm = { name: `Alarm ${nth}`, locationId: location!.id, test: false, modes };
    untouched.push((await own.alarms.createAlarm({ alarm })).alarm!.id);
  }
  const { secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: 'Panel' } });

  const triggered: string[] = [];
  const told = () =>
    rolling.rows<{ source_id: string; messages: string }>(
      `SELECT i.source_id, string_agg(d.step || ' ' || d.status, ', ' ORDER BY d.step, d.due_at) AS messages
       FROM incident i LEFT JOIN delivery d ON d.account_id = i.account_id AND d.incident_id = i.id
       WHERE i.account_id = $1 GROUP BY i.id, i.source_id`,
      [id],
    );
  return {
    async trigger(count, doors) {
      for (let nth = 0; nth < count; nth++) {
        const alarmId = untouched.shift()!;
        const url = `${doors[nth % doors.length]}/v1/alarm/${alarmId}/trigger`;
        const isTaken = async () => (await fetch(url, { headers: { 'x-api-key': key } })).status === 202;
        // As devices do; what is sent again joins the same window.
        await eventually(isTaken, { what: 'a trigger to be taken' });
        triggered.push(alarmId);
      }
    },
    async toldOnce() {
      const isOver = async () => (await told()).filter(({ messages }) => messages === '0 sent, 1 sent').length;
      await eventually(async () => (await isOver()) === triggered.length, {
        what: 'every incident of the family to be told of to both',
        within: 60_000,
      });
      expect((await told()).map(row => row.source_id).toSorted()).toEqual(triggered.toSorted());
      const { mails } = rolling.smtp;
      expect(mails.map(({ to }) => to?.[0]?.address).toSorted()).toEqual(
        ['anna@example.com', 'ben@example.com'].flatMap(address => triggered.map(() => address)),
      );
      expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(mails.length);
    },
  };
}
