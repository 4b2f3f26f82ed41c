import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { ResponderService } from '../../../gen/tocsin/incident/v1/responder_pb.ts';
import { createLinks } from '../../../services/responder/links.ts';
import type { Owner } from '../../support/owner.ts';
import { PEPPER, startWorld, type World, type WorldOptions } from '../../support/world.ts';

/** The way back of those who were alerted, as it is called over the RPC port. */
export function responderOf(world: Pick<World, 'rpcUrl'>) {
  return createClient(ResponderService, createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }));
}

/** The token of the link that a delivery carries. */
export function tokenOf({ id }: { id: string }): string {
  const links = createLinks({ pepper: PEPPER, publicUrl: () => 'https://alarm.test' });
  return links.wayBackOf(id, 1)!.pageUrl.slice(-48);
}

/** The same with one character changed, at any of its ends. */
export function changed(token: string, at: number): string {
  const other = token.at(at) === 'a' ? 'b' : 'a';
  return token.slice(0, at) + other + token.slice(at + 1);
}

/** An account with an alarm that tells Anna at once and Ben 300 s later, by email. */
export async function aHome(world: World): Promise<{ owner: Owner; act(action: string): Promise<void> }> {
  const owner = await world.account();
  const [anna, ben] = [
    await owner.contact('Anna', { email: 'anna@example.com' }),
    await owner.contact('Ben', { email: 'ben@example.com' }),
  ];
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] },
    { delayS: 300, contacts: [{ contactId: ben, channels: ['email'] }] },
  ]);
  const alarmId = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  return {
    owner,
    async act(action) {
      await world.get(`/v1/alarm/${alarmId}/${action}`, key);
      await world.settle();
    },
  };
}

/** A world with such a home that has just been triggered: its newest deliveries, Anna's first, with their tokens. */
export async function aTriggeredHome(options: WorldOptions = {}) {
  const world = await startWorld({ publicUrl: 'https://alarm.test', ...options });
  const home = await aHome(world);
  await home.act('trigger');
  const tokens = async () => {
    const [incident] = await home.owner.incidents();
    return incident!.deliveries.map(tokenOf);
  };
  return { ...home, world, tokens, responder: responderOf(world) };
}
