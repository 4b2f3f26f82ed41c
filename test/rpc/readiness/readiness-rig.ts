import { onTestFinished } from 'vitest';
import { consoleOf } from '../../support/console.ts';
import { startSmtp } from '../../support/smtp.ts';
import { startWorld, type World } from '../../support/world.ts';
import { tokenOf } from '../incident/incident-rig.ts';

/** A world with email set up, and an owner in it. */
export async function anOwner(options: Parameters<World['account']>[0] = {}) {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  return ownerIn(await startWorld({ smtpUrl: smtp.url }), options);
}

/** An owner with a policy that tells Anna at once and Ben after a minute; both are proven. */
export async function ownerIn(world: World, options: Parameters<World['account']>[0] = {}) {
  const owner = await world.account(options);
  const [anna, ben] = [
    await owner.contact('Anna', { email: 'anna@example.com' }),
    await owner.contact('Ben', { email: 'ben@example.com', text: '+12025550100' }),
  ];
  await world.rows('UPDATE contact_channel SET proven_at = tocsin_now() WHERE account_id = $1', [owner.accountId]);
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] },
    { delayS: 60, contacts: [{ contactId: ben, channels: ['email', 'text'] }] },
  ]);
  const own = consoleOf(world, await tokenOf(world, owner, 'Anna’s laptop'));
  return { world, owner, anna, ben, policyId, own, readiness: own.readiness };
}

/** An alarm's modes, all four under one policy. */
export function all(policyId: string, windowS = 0) {
  const mode = { policyId, windowS };
  return { home: mode, away: mode, night: mode, vacation: mode };
}
