import { z } from 'zod';
import { type Environment, type Kind, readSetting, webUrl } from '../../process/settings.ts';
import { allOrNone, type Carrier } from '../carrier.ts';
import type { SignatureVersion } from '../standard-webhooks.ts';
import { createGatewayCallback } from './callback.ts';
import { createGatewayChannel, type GatewaySettings } from './send.ts';

/** Texts and calls through the operator's own gateway. */
export const gateway = {
  name: 'gateway',
  title: { en: 'A gateway of your own', de: 'Eigenes Gateway' },
  about: {
    en: 'Texts and calls through a program of yours, which takes them by HTTP.',
    de: 'SMS und Anrufe über ein Programm von Ihnen, das sie über HTTP annimmt.',
  },
  settings: [
    {
      name: 'GATEWAY_URL',
      asked: 'needed',
      holds: 'text',
      leads: 'elsewhere',
      label: { en: 'Address', de: 'Adresse' },
      hint: {
        en: 'Where it listens, such as https://gateway.example.com.',
        de: 'Wo es erreichbar ist, etwa https://gateway.example.com.',
      },
    },
    {
      name: 'GATEWAY_SECRET',
      asked: 'needed',
      holds: 'secret',
      label: { en: 'Secret', de: 'Geheimnis' },
      hint: { en: 'What both sign with: whsec_ and base64.', de: 'Womit beide unterschreiben: whsec_ und Base64.' },
    },
    {
      name: 'GATEWAY_SIGNATURE',
      asked: 'rare',
      holds: 'text',
      label: { en: 'Signature', de: 'Unterschrift' },
      hint: {
        en: 'v1 for a gateway whose signature leaves the path out.',
        de: 'v1 für ein Gateway, dessen Unterschrift den Pfad auslässt.',
      },
    },
  ],
  carries: ['text', 'call'],
  hint: 'GATEWAY_URL and GATEWAY_SECRET',
  read: readGateway,
  open: (kind, settings, { log }) =>
    kind === 'text' || kind === 'call' ? createGatewayChannel({ kind, settings, log }) : null,
  callback: createGatewayCallback,
} satisfies Carrier<'gateway', GatewaySettings>;

function readGateway(env: Environment): GatewaySettings | null {
  const signature = readSetting(env, 'GATEWAY_SIGNATURE', signatureVersion, 'v2');
  const url = readSetting(env, 'GATEWAY_URL', webUrl, null);
  const secret = readSetting(env, 'GATEWAY_SECRET', signingSecret, null);
  if (url === null || secret === null) return allOrNone({ GATEWAY_URL: url, GATEWAY_SECRET: secret });
  return { url, secret, signature };
}

const signingSecret: Kind<string> = {
  takes: 'whsec_ and 24 to 64 bytes in base64',
  schema: z.string().regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/),
  shown: 'length',
};

const signatureVersion: Kind<SignatureVersion> = {
  takes: 'v2, or v1 for a gateway whose signature leaves the path out',
  schema: z.enum(['v1', 'v2']),
  shown: 'value',
};
