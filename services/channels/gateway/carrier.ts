import { z } from 'zod';
import { type Environment, type Kind, readSetting, webUrl } from '../../process/settings.ts';
import { allOrNone, type Carrier } from '../carrier.ts';
import type { SignatureVersion } from '../standard-webhooks.ts';
import { createGatewayCallback } from './callback.ts';
import { createGatewayChannel, type GatewaySettings } from './send.ts';

/** Texts and calls through the operator's own gateway. */
export const gateway = {
  name: 'gateway',
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
