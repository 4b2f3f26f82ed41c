import type { Owner } from '../../support/owner.ts';
import { startTwilio, type TwilioServer } from '../../support/twilio.ts';
import { startWorld, type World } from '../../support/world.ts';
import { responderOf } from './responder-rig.ts';

export const ANNAS_NUMBER = '+436601234567';
export const BENS_NUMBER = '+436607654321';

/** A home whose people are reached by telephone: Anna at once, over `channels`; Ben 300 s later, by text. */
export interface PhoneHome {
  world: World;
  owner: Owner;
  twilio: TwilioServer;
  responder: ReturnType<typeof responderOf>;
  /** Where Twilio sends texts that people write. */
  inbound: string;
  act(action: string): Promise<void>;
  /** What became of the messages, in the order in which they were made: `text sent`. */
  became(): Promise<string[]>;
  /** The code that a reply names the incident by. */
  code(): Promise<string>;
}

export async function aPhoneHome(channels: ('text' | 'call' | 'email')[] = ['text']): Promise<PhoneHome> {
  const twilio = await startTwilio();
  const world = await startWorld({ carriers: { twilio: twilio.settings }, publicUrl: 'of the facade' });
  const home = await aPhoneAccount(world, channels, ANNAS_NUMBER);
  return {
    ...home,
    world,
    twilio,
    responder: responderOf(world),
    inbound: `${world.url}/carrier/twilio/text`,
    async became() {
      const [incident] = await home.owner.incidents();
      return incident!.deliveries.map(({ channel, status, reason }) =>
        reason === '' ? `${channel} ${status}` : `${channel} ${status}: ${reason}`,
      );
    },
    async code() {
      const { accountId } = home.owner;
      const [row] = await world.rows<{ reply_code: string }>(
        'SELECT reply_code FROM incident WHERE account_id = $1 ORDER BY opened_at DESC LIMIT 1',
        [accountId],
      );
      return row!.reply_code;
    },
  };
}

/** An account like that; `number` is Anna's. */
export async function aPhoneAccount(world: World, channels: ('text' | 'call' | 'email')[], number: string) {
  const owner = await world.account();
  const anna = await owner.contact('Anna', { text: number, call: number, email: 'anna@example.com' });
  const ben = await owner.contact('Ben', { text: BENS_NUMBER });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels }] },
    { delayS: 300, contacts: [{ contactId: ben, channels: ['text'] }] },
  ]);
  const alarmId = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  return {
    owner,
    async act(action: string) {
      await world.get(`/v1/alarm/${alarmId}/${action}`, key);
      await world.settle();
    },
  };
}
