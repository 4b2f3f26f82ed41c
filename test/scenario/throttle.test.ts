import { expect, onTestFinished, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { startNtfy } from '../support/ntfy.ts';
import type { Owner } from '../support/owner.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

/* DECISIONS.md "Throttle of repeats": what one person gets within 15 minutes over each channel, beside somebody else. */

test.each([
  ['text', 5],
  ['call', 3],
  ['email', 10],
  ['push', 10],
] as const)('within 15 minutes a person gets so many over %s: %i; the rest waits, and a neighbour is told', async (channel, most) => {
  const [twilio, smtp, ntfy] = await Promise.all([startTwilio(), startSmtp(), startNtfy()]);
  onTestFinished(async () => void (await Promise.all([twilio.stop(), smtp.stop(), ntfy.stop()])));
  const carriers = { twilio: twilio.settings, ntfy: { url: ntfy.url, token: null } };
  const world = await startWorld({ smtpUrl: smtp.url, carriers });
  const [owner, neighbour] = [await world.account(), await world.account()];
  await trigger(owner, 'anna', '+12025550111');
  for (let step = 1; step < STEPS; step++) await world.advance(10);
  const became = async (of: Owner) => {
    const [incident] = await of.incidents();
    return incident!.deliveries.map(({ status, reason }) => `${status} ${reason}`.trim());
  };
  const waiting = Array(STEPS - most).fill('scheduled throttled');
  expect(await became(owner)).toEqual([...Array(most).fill('sent'), ...waiting]);
  await trigger(neighbour, 'ben', '+12025550122');
  expect((await became(neighbour))[0]).toBe('sent');
  // The first of them leaves the 15 minutes.
  await world.advance(900 - 10 * (STEPS - 1));
  expect((await became(owner)).filter(one => one === 'sent')).toHaveLength(most + 1);

  /** Triggers an alarm that tells somebody twelve times, ten seconds apart. */
  async function trigger(of: Owner, name: string, number: string) {
    const addresses: Record<ChannelKind, string> = {
      text: number,
      call: number,
      email: `${name}@example.com`,
      push: `${name}-topic`,
      chat: '',
      webhook: '',
    };
    const contacts = [{ contactId: await of.contact(name, { [channel]: addresses[channel] }), channels: [channel] }];
    const policyId = await of.policy(
      Array.from({ length: STEPS }, (_, step) => ({ delayS: step === 0 ? 0 : 10, contacts })),
    );
    const id = await of.alarm({ modes: { away: { policyId } } });
    expect((await world.get(`/v1/alarm/${id}/trigger`, await of.key())).status).toBe(202);
    await world.settle();
  }
});

test('of an incident whose steps are all due at once only the first text to a person is exempt, and each person has a first one', async () => {
  const twilio = await startTwilio();
  onTestFinished(() => twilio.stop());
  const world = await startWorld({ carriers: { twilio: twilio.settings } });
  const [owner, neighbour] = [await world.account(), await world.account()];
  const channels = ['text' as const];
  const anna = { contactId: await owner.contact('Anna', { text: ANNA }), channels };
  const ben = { contactId: await owner.contact('Ben', { text: BEN }), channels };
  const step = (contacts: { contactId: string; channels: 'text'[] }[]) => ({ delayS: 0, contacts });
  const toAnna = await owner.policy(Array.from({ length: STEPS }, () => step([anna])));
  const toBoth = await owner.policy(Array.from({ length: STEPS }, (_, n) => step(n === 1 ? [anna, ben] : [anna])));
  const clara = { contactId: await neighbour.contact('Clara', { text: CLARA }), channels };
  const toClara = await neighbour.policy([step([clara])]);

  await trigger(owner, toAnna);
  expect(textsTo(ANNA)).toBe(5);
  // Her window is full: another incident tells her once, and Ben as well.
  await trigger(owner, toBoth);
  expect([textsTo(ANNA), textsTo(BEN)]).toEqual([6, 1]);
  await trigger(neighbour, toClara);
  expect(textsTo(CLARA)).toBe(1);
  // One of the first has not gone out twice, and the rest follows as the window empties.
  await world.advance(900);
  expect(textsTo(ANNA)).toBe(11);

  async function trigger(of: Owner, policyId: string) {
    const id = await of.alarm({ modes: { away: { policyId } } });
    expect((await world.get(`/v1/alarm/${id}/trigger`, await of.key())).status).toBe(202);
    await world.settle();
  }

  function textsTo(number: string): number {
    return twilio.messages.filter(({ fields }) => fields.To === number).length;
  }
});

const [ANNA, BEN, CLARA] = ['+12025550111', '+12025550122', '+12025550133'];

const STEPS = 12;
