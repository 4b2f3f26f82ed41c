import { expect, test, vi } from 'vitest';
import { historyChecker } from '../support/history/checker.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { WAITING_CALLS } from '../support/waiting.ts';
import { type DeliveryRig, startDeliveryRig } from './delivery-rig.ts';
import { standStill } from './standstill.ts';

/*
 * Deaths at the points at which a call could be lost or done twice, each with a real SIGKILL: a trigger of the test brings
 * the product's own transaction to a stand there.
 */
vi.setConfig({ testTimeout: 120_000 });

const checker = historyChecker('killed at points');

const EMAIL = { afterS: 0, email: 1 };

test.each([
  ['before a group is committed: as if it had never been sent', 'cut'],
  ['after a group is committed and before it is answered: it alerts, once', 'goOn'],
] as const)('killed %s', async (_point, end) => {
  const rig = await startDeliveryRig();
  const [pressed, other] = [await rig.button(EMAIL), await rig.button(EMAIL)];
  const first = await rig.start();
  const standing = await standStill(rig, { table: 'journal', at: 'the commit' });
  const unanswered = expect(rig.press(first, pressed)).rejects.toThrow();
  await standing.reached();
  await first.product.kill();
  await unanswered;
  await standing[end]();
  const stored = end === 'goOn' ? 1 : 0;
  expect(await rig.rows(WAITING_CALLS)).toHaveLength(stored);

  const second = await rig.start();
  expect(await rig.press(second, other)).toBe(202);
  await alertedOnce(rig, other);
  if (stored === 1) await alertedOnce(rig, pressed);
  else expect(await rig.rows('SELECT FROM call_log WHERE source_id = $1', [pressed])).toEqual([]);
  // It is as good as new: nothing of the dead stands in its way.
  expect(await rig.press(second, pressed)).toBe(202);
  await eventually(async () => (await countOf(rig, pressed)) === stored + 1, { what: 'the next trigger to count' });
  expect(await rig.messages(pressed)).toHaveLength(1);
  checker.holds(await rig.history());
});

test.each([
  ['in the middle of applying: nothing is half done, and it alerts once', 'cut'],
  ['after applying is committed and before anybody is told: it alerts, once', 'goOn'],
] as const)('killed %s', async (_point, end) => {
  const rig = await startDeliveryRig();
  const [pressed, meanwhile] = [await rig.button(EMAIL), await rig.button(EMAIL)];
  const first = await rig.start();
  const standing = await standStill(rig, { table: 'logged_call', at: 'the commit' });
  expect(await rig.press(first, pressed)).toBe(202);
  await standing.reached();
  // Who applies keeps nobody from being accepted.
  expect(await rig.press(first, meanwhile)).toBe(202);
  await first.product.kill();
  await standing[end]();
  const written = end === 'goOn';
  expect(await rig.rows(WAITING_CALLS)).toHaveLength(written ? 1 : 2);
  expect((await rig.messages(pressed)).map(({ status }) => status)).toEqual(written ? ['scheduled'] : []);
  expect(await rig.rows('SELECT FROM call_log')).toHaveLength(written ? 1 : 0);

  await rig.start();
  for (const button of [pressed, meanwhile]) await alertedOnce(rig, button);
  checker.holds(await rig.history());
});

test('a process that hangs in the middle of applying holds up the other for seconds, and goes on without doing anything twice', async () => {
  const rig = await startDeliveryRig();
  const [pressed, meanwhile, later] = [await rig.button(EMAIL), await rig.button(EMAIL), await rig.button(EMAIL)];
  const [one, other] = await Promise.all([rig.start({ PGAPPNAME: 'one' }), rig.start({ PGAPPNAME: 'other' })]);
  const standing = await standStill(rig, { table: 'incident', at: 'the row' });
  expect(await rig.press(one, pressed)).toBe(202);
  const [hung, lively] = (await standing.reached()) === 'one' ? [one, other] : [other, one];
  hung.product.freeze();
  // What the database was asked is answered to nobody: the transaction is open, and nobody goes on with it.
  await standing.goOn();
  const since = performance.now();
  expect(await rig.press(lively, meanwhile)).toBe(202);
  for (const button of [pressed, meanwhile]) await alertedOnce(rig, button);
  expectInTime(performance.now() - since, 8_000);

  hung.product.thaw();
  expect(await rig.press(hung, later)).toBe(202);
  await lively.product.kill();
  for (const button of [pressed, meanwhile, later]) await alertedOnce(rig, button);
  expect(hung.product.printed().stderr).not.toContain('unexpected error');
  checker.holds(await rig.history());
});

test('killed after it is committed that the last message failed, and before anybody hears that nobody was reached: the next one tells, once (DECISIONS.md "Nobody reached")', async () => {
  const rig = await startDeliveryRig();
  // Nothing carries pushes here.
  const [pressed, beside] = [await rig.button({ afterS: 0, push: 1 }), await rig.button(EMAIL)];
  const first = await rig.start();
  const standing = await standStill(rig, { table: 'notice', at: 'the row' });
  expect(await rig.press(first, pressed)).toBe(202);
  await standing.reached();
  await first.product.kill();
  await standing.cut();
  await rig.stand(pressed, ['push no_carrier']);
  const told = () => rig.rows("SELECT kind, detail FROM incident_entry WHERE kind = 'nobody_reached'");
  const noticed = () => rig.rows("SELECT kind FROM notice WHERE kind = 'nobody_reached'");
  expect([await told(), await noticed()]).toEqual([[], []]);

  const second = await rig.start();
  expect(await rig.press(second, beside)).toBe(202);
  await rig.stand(beside, ['email sent']);
  await eventually(async () => (await told()).length > 0, { what: 'it to be told that nobody was reached' });
  const third = await rig.start();
  expect(await rig.press(third, beside)).toBe(202);
  expect(await told()).toEqual([{ kind: 'nobody_reached', detail: 'all_failed' }]);
  expect(await noticed()).toEqual([{ kind: 'nobody_reached' }]);
  checker.holds(await rig.history());
});

/** Waits until the one press of a button was applied, with one incident and one mail to its one contact. */
async function alertedOnce(rig: DeliveryRig, button: string): Promise<void> {
  const [message] = await rig.stand(button, ['email sent']);
  expect(message!.attempt).toBe(1);
  const logged = await rig.rows('SELECT outcome, incident_id FROM call_log WHERE source_id = $1', [button]);
  expect(logged).toEqual([{ outcome: 'opened', incident_id: message!.incident_id }]);
  expect(await countOf(rig, button)).toBe(1);
  const about = rig.smtp.mails.flatMap(mail => mail.headers.filter(({ key }) => key === 'x-tocsin-incident'));
  expect(about.filter(({ value }) => value === message!.incident_id)).toHaveLength(1);
}

/** How often the incidents of a button were triggered. */
async function countOf(rig: DeliveryRig, button: string): Promise<number> {
  const found = 'SELECT coalesce(sum(trigger_count), 0)::int AS count FROM incident WHERE source_id = $1';
  return (await rig.rows<{ count: number }>(found, [button]))[0]!.count;
}
