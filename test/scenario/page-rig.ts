import { advanceClock } from '../support/database.ts';
import type { Owner } from '../support/owner.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';
import { startWorld, type World } from '../support/world.ts';

/** A night in which an alarm fires: Anna is told by email at once, Ben five minutes later, then both once more. */
export interface Night {
  world: World;
  owner: Owner;
  smtp: Smtp;
  alarmId: string;
  /** What a machine of the owner does with the alarm. */
  act(action: string): Promise<void>;
  /** The link in the newest mail to somebody. */
  linkTo(address: string): Promise<string>;
}

/** `clock`: as of startWorld. `address` of the place; `name` and switch of the alarm; `locale` of both contacts. */
export async function aNight(
  options: { address?: string; name?: string; test?: boolean; locale?: string; clock?: 'settable' } = {},
): Promise<Night> {
  const smtp = await startSmtp();
  const world = await startWorld({
    smtpUrl: smtp.url,
    publicUrl: 'of the facade',
    ...(options.clock !== undefined && { clock: options.clock }),
  });
  const owner = await world.account({ address: options.address ?? '12 Elm Street\n1010 Vienna' });
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const ben = await owner.contact('Ben', { email: 'ben@example.com' });
  await world.rows('UPDATE contact SET locale = $1, time_zone = $2', [options.locale ?? 'en-US', 'Europe/Vienna']);
  const steps = [anna, ben].map((contactId, at) => ({
    delayS: at * 300,
    contacts: [{ contactId, channels: ['email' as const] }],
  }));
  const policyId = await owner.policy(steps, { times: 1, delayS: 600 });
  const alarmId = await owner.alarm({
    name: options.name ?? 'House',
    test: options.test ?? false,
    modes: { away: { policyId } },
  });
  const key = await owner.key();
  // 3:12 in Vienna.
  await advanceClock(world.store.pool, 6 * 3600 + 12 * 60);
  return {
    world,
    owner,
    smtp,
    alarmId,
    async act(action) {
      await world.get(`/v1/alarm/${alarmId}/${action}`, key);
      await world.settle();
    },
    async linkTo(address) {
      const of = () => smtp.mails.filter(mail => mail.envelope.to.includes(address)).at(-1);
      await smtp.next(mail => mail.envelope.to.includes(address));
      return /https?:\/\/[^\s"<>]+\/i\/[\w-]{48}/.exec(of()?.text ?? '')?.[0] ?? 'no link';
    },
  };
}
