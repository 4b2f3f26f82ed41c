import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newOwner } from '../support/console.ts';
import { ANNAS_ID, BOT_TOKEN, startTelegram } from '../support/telegram.ts';
import { eventually } from '../support/wait.ts';
import { startDeliveryRig } from './delivery-rig.ts';

/* The process that listens to a bot is killed while somebody presses. Every kill is a real SIGKILL. */
vi.setConfig({ testTimeout: 180_000 });

const OPERATOR = `tcn_${'o'.repeat(40)}`;

/** When it is killed, in milliseconds after the press: before it is heard, while it is stored, and before it is confirmed. */
const KILLED_AFTER_MS = [0, 3, 6, 10, 15, 25, 40];

test('killed at any moment after a press: nobody presses in vain, and nothing counts twice', async () => {
  const [rig, telegram] = [await startDeliveryRig(), await startTelegram()];
  onTestFinished(() => telegram.stop());
  const settings = {
    TELEGRAM_TOKEN: BOT_TOKEN,
    TELEGRAM_API_URL: telegram.url,
    CONSOLE_TOKEN: OPERATOR,
    CONTACT_VERIFICATION: 'trusted',
  };
  let life = await rig.start(settings);
  const { console } = await newOwner({ rpcUrl: life.ready.rpc, operator: OPERATOR });
  const { location } = await console.locations.createLocation({ location: { name: 'Home', test: false } });
  const channels = [{ channel: 'chat', address: `telegram:${ANNAS_ID}` }];
  const { contact } = await console.contacts.createContact({ contact: { name: 'Anna', channels } });
  const { policy } = await console.policies.createPolicy({
    policy: { name: 'Anna', steps: [{ delayS: 0, contacts: [{ contactId: contact!.id, channels: ['chat'] }] }] },
  });
  const at = { locationId: location!.id, policyId: policy!.id };
  const buttons: string[] = [];
  for (const nth of KILLED_AFTER_MS.keys()) {
    const { panicButton } = await console.panicButtons.createPanicButton({
      panicButton: { name: `Button ${nth}`, responseKind: 'intruder', test: false, ...at },
    });
    buttons.push(panicButton!.id);
  }
  const { secret } = await console.apiKeys.createApiKey({ apiKey: { label: 'Buttons' } });

  for (const [nth, afterMs] of KILLED_AFTER_MS.entries()) {
    const answer = await fetch(`${life.ready.http}/v1/panic/${buttons[nth]}/trigger`, {
      headers: { 'x-api-key': secret },
    });
    expect(answer.status).toBe(202);
    const message = await eventually(() => telegram.chats[nth], { what: 'the message' });
    await telegram.confirmed();
    telegram.press(message);
    await setTimeout(afterMs);
    await life.product.kill();
    life = await rig.start(settings);
    // Nobody else takes the place of one that is gone without a word before its time is over.
    await rig.advance(8);
    await telegram.confirmed();
    const acknowledged = () =>
      rig.rows<{ by: string; via: string; entries: number }>(
        `SELECT i.acknowledged_by AS by, i.acknowledged_via AS via, (SELECT count(*)::int FROM incident_entry e
           WHERE e.account_id = i.account_id AND e.incident_id = i.id AND e.kind = 'acknowledged') AS entries
         FROM incident i WHERE i.source_id = $1`,
        [buttons[nth]],
      );
    // It is confirmed once it is stored, and applied right after.
    await eventually(async () => (await acknowledged())[0]?.entries, {
      what: `that it counts, killed after ${afterMs} ms`,
    });
    expect(await acknowledged(), `killed after ${afterMs} ms`).toEqual([{ by: 'Anna', via: 'chat', entries: 1 }]);
    await rig.advance(3);
    const pressable = () => telegram.chats[nth]!.buttons.filter(button => button.callback_data !== undefined);
    await eventually(() => pressable().length === 0, { what: 'the button to be gone' });
  }
  expect(telegram.chats).toHaveLength(KILLED_AFTER_MS.length);
});
