import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startSmtp } from '../support/smtp.ts';
import { holdApplying } from '../support/waiting.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "One clock": what is sent after all stood still, while nobody gets to look at the clock. */

/** Keeps everybody from leaving a mark of what the clock says, and so from looking at it, until the function given is called. */
async function holdClock({ databaseUrl }: World): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  let letGo: Promise<void> | undefined;
  const release = () => (letGo ??= holder.end());
  onTestFinished(release);
  await holder.query('BEGIN; LOCK TABLE clock IN SHARE MODE');
  return release;
}

test.each([
  { seconds: 8, what: 'what is due goes out at once: a lease taken now still lasts then', meanwhile: 1 },
  {
    seconds: 60,
    what: 'nothing goes out until somebody has looked: a lease taken now would be over then',
    meanwhile: 0,
  },
])('all stood still for $seconds s: $what', async ({ seconds, meanwhile }) => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url, clock: 'settable' });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const panicId = await owner.panicButton({ policyId });
  const mails = () => smtp.mails.filter(({ envelope }) => envelope.to.includes('anna@example.com')).length;

  const letApply = await holdApplying(world.databaseUrl);
  expect((await world.get(`/v1/panic/${panicId}/trigger`, await owner.key())).status).toBe(202);
  const letLook = await holdClock(world);
  await world.standStill(seconds);
  await letApply();
  await world.settle();
  expect(mails()).toBe(meanwhile);
  await letLook();
  await world.settle();
  expect(mails()).toBe(1);
});
