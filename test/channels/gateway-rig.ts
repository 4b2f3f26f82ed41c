import { onTestFinished } from 'vitest';
import { createGatewayChannel } from '../../services/channels/gateway/send.ts';
import { anAlert } from '../support/alert.ts';
import { startHook } from '../support/hook.ts';
import { logInto } from '../support/log.ts';

export const SECRET = `whsec_${Buffer.alloc(32, 'g').toString('base64')}`;
export const NUMBER = '+4366012345678';
export const ID = anAlert().deliveryId;

export async function rig(
  kind: 'text' | 'call',
  options: { answer?: Record<string, unknown>; timeoutMs?: number; lines?: string[] } = {},
) {
  const { answer, timeoutMs = 5_000, lines } = options;
  const hook = await startHook({ secret: SECRET, ...(answer === undefined ? {} : { answer }) });
  const log = logInto(lines);
  const settings = { url: `${hook.url}/send`, secret: SECRET, signature: 'v2' } as const;
  const channel = createGatewayChannel({ kind, settings, log, timeoutMs });
  onTestFinished(async () => {
    await channel.close();
    await hook.stop();
  });
  return { hook, channel };
}
