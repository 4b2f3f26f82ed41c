import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { consoleOf } from '../support/console.ts';
import { startNtfy } from '../support/ntfy.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';

/** A live house that alerts Anna by the channels that are named, proven just now. */
async function aHouse({ push = false } = {}) {
  const smtp = await startSmtp();
  const ntfy = push ? await startNtfy() : null;
  const world = await startWorld({
    smtpUrl: smtp.url,
    ...(ntfy !== null && { carriers: { ntfy: { url: ntfy.url, token: null } } }),
    publicUrl: 'https://tocsin.test',
  });
  const owner = await world.account();
  const topic = { push: 'anna-topic-4711-hard-to-guess' };
  const anna = await owner.contact('Anna', { email: 'anna@example.com', ...(push && topic) });
  const channels = push ? ['email' as const, 'push' as const] : ['email' as const];
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels }] }]);
  const alarm = await owner.alarm({ name: 'House', modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${alarm}/arm`, await owner.key());
  await world.rows('UPDATE contact_channel SET proven_at = tocsin_now()');
  const own = consoleOf(world, world.operator, owner.accountId);
  return {
    ...{ world, smtp, owner, own, alarm },
    tonight: async () => own.tonight.getTonight({}),
    findings: async () => {
      const { sources } = await own.readiness.getReadiness({});
      return sources[0]!.findings.filter(({ code }) => code === 'carrier_failing');
    },
    stop: async () => {
      await smtp.stop();
      await ntfy?.stop();
    },
  };
}

test('the only mail server is gone: Home says so, with its words, and that nobody would be alerted', async () => {
  const { tonight, findings, own, alarm, smtp, stop } = await aHouse();
  await smtp.stop();
  const [finding] = await findings();
  expect(finding).toMatchObject({ severity: 'blocks', channel: 'email' });
  expect(finding!.problem).toMatch(
    /^The policy .* alerts Anna by email, and nothing has left over it since \d.*could not be reached\.$/,
  );
  const said = await tonight();
  expect(said).toMatchObject({ verdict: 'blocked', reason: 'finding_blocks' });
  expect(said.text).toMatch(/No email has left since .*the mail server could not be reached\./);
  const { deliveries, failing } = await own.readiness.preview({ sourceId: alarm });
  expect(deliveries).toMatchObject([{ outcome: 'sent' }]);
  expect(failing).toMatchObject([{ channel: 'email', problem: 'the mail server could not be reached' }]);
  expect(Math.abs(timestampDate(failing[0]!.since!).getTime() - Date.now())).toBeLessThan(120_000);
  await stop();
});

test('another way is left: it warns, and Home is in doubt', async () => {
  const { tonight, findings, smtp, stop } = await aHouse({ push: true });
  await smtp.stop();
  expect(await findings()).toMatchObject([{ severity: 'warns', channel: 'email' }]);
  expect(await tonight()).toMatchObject({ verdict: 'doubtful', reason: 'carrier_failing' });
  await stop();
});

test('what a message met is known at once, and another account that does not use it hears nothing of it', async () => {
  const { world, owner, findings, smtp, alarm, stop } = await aHouse();
  const other = await world.account();
  const lea = await other.contact('Lea', { webhook: 'https://example.com/hook' });
  const policyId = await other.policy([{ delayS: 0, contacts: [{ contactId: lea, channels: ['webhook'] }] }]);
  await other.alarm({ modes: { away: { policyId } } });
  expect(await findings()).toEqual([]);
  await smtp.stop();
  await world.get(`/v1/alarm/${alarm}/trigger`, await owner.key());
  await world.settle();
  expect(await findings()).toHaveLength(1);
  const theirs = await consoleOf(world, world.operator, other.accountId).readiness.getReadiness({});
  expect(theirs.sources[0]!.findings.filter(({ code }) => code === 'carrier_failing')).toEqual([]);
  await stop();
});
