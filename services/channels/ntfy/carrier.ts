import { z } from 'zod';
import { type Environment, type Kind, readSetting, webUrl } from '../../process/settings.ts';
import type { Carrier } from '../carrier.ts';
import { createNtfyChannel, type NtfySettings } from './send.ts';

/** Push messages through ntfy. */
export const ntfy = {
  name: 'ntfy',
  title: { en: 'ntfy', de: 'ntfy' },
  about: {
    en: 'Push messages to the ntfy app. You need nothing but the address of a server, such as https://ntfy.sh or your own.',
    de: 'Push-Nachrichten an die App ntfy. Sie brauchen nur die Adresse eines Servers, etwa https://ntfy.sh oder Ihren eigenen.',
  },
  settings: [
    {
      name: 'NTFY_URL',
      asked: 'needed',
      holds: 'text',
      leads: 'elsewhere',
      label: { en: 'Address of the server', de: 'Adresse des Servers' },
      hint: { en: 'Such as https://ntfy.sh.', de: 'Etwa https://ntfy.sh.' },
    },
    {
      name: 'NTFY_TOKEN',
      asked: 'optional',
      holds: 'secret',
      label: { en: 'Access token', de: 'Zugangstoken' },
      hint: { en: 'Where the server wants one: tk_…', de: 'Wo der Server einen verlangt: tk_…' },
    },
  ],
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
