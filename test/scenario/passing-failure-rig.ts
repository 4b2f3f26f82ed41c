import { expect, onTestFinished } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { startNtfy } from '../support/ntfy.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

const ADDRESSES: Partial<Record<ChannelKind, string>> = {
  email: 'anna@example.com',
  text: '+12025550111',
  push: 'anna-topic',
};

/** Anna, who is told over `named` and has `others` besides, in each of so many rounds. */
export async function aHouse(named: ChannelKind[], others: ChannelKind[] = [], repeat = { times: 0, delayS: 300 }) {
  const [smtp, twilio, ntfy] = await Promise.all([startSmtp(), startTwilio(), startNtfy()]);
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop(), ntfy.stop()])));
  // One mail at a time, so that mails arrive in the order in which they were sent.
  const world = await startWorld({
    smtpUrl: `${smtp.url}/?maxConnections=1`,
    carriers: { twilio: twilio.settings, ntfy: { url: ntfy.url, token: null } },
  });
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const addresses = Object.fromEntries([...named, ...others].map(channel => [channel, ADDRESSES[channel]]));
  const anna = await owner.contact('Anna', addresses);
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: named }] }], repeat);
  const key = await owner.key();
  const alarm = (name = 'House') => owner.alarm({ name, modes: { away: { policyId } } });
  const act = async (id: string, verb: string) => {
    expect((await world.get(`/v1/alarm/${id}/${verb}`, key)).status).toBe(202);
    await world.settle();
  };
  const deliveries = async () => (await owner.incidents())[0]!.deliveries;
  const told = async () =>
    (await deliveries()).map(({ channel, status, reason }) => `${channel} ${status} ${reason.split(':')[0]}`.trim());
  const house = await alarm();
  return { smtp, twilio, ntfy, world, owner, house, alarm, act, deliveries, told };
}

export const mailsTo = (smtp: Smtp, address: string) =>
  smtp.mails.filter(({ envelope }) => envelope.to.includes(address));
