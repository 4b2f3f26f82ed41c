import { z } from 'zod';
import { type Environment, type Kind, readSetting, webUrl } from '../../process/settings.ts';
import type { Carrier } from '../carrier.ts';
import { createNtfyChannel, type NtfySettings } from './send.ts';

/** Push messages through ntfy. */
export const ntfy = {
  name: 'ntfy',
  carries: ['push'],
  hint: 'NTFY_URL',
  read: readNtfy,
  open: (_kind, settings, { outboundNetworks, log }) => createNtfyChannel({ settings, outboundNetworks, log }),
} satisfies Carrier<'ntfy', NtfySettings>;

function readNtfy(env: Environment): NtfySettings | null {
  const url = readSetting(env, 'NTFY_URL', webUrl, null);
  const token = readSetting(env, 'NTFY_TOKEN', ntfyToken, null);
  return url === null ? null : { url, token };
}

const ntfyToken: Kind<string> = {
  takes: 'an access token such as tk_…, letters and digits without blanks',
  schema: z.string().regex(/^[!-~]{1,200}$/),
  shown: 'length',
};
