import { z } from 'zod';
import type { OidcSettings } from '../access/oidc.ts';
import { reachedFrom } from '../process/public-address.ts';
import { ConfigError, type Environment, type Kind, readSetting } from '../process/settings.ts';

const NAMES = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/** Reads the settings of the identity provider; null if none is set. Throws ConfigError if only some of them are. */
export function readOidc(env: Environment): OidcSettings | null {
  const issuer = readSetting(env, 'OIDC_ISSUER', issuerUrl, null);
  const clientId = readSetting(env, 'OIDC_CLIENT_ID', clientName, null);
  const clientSecret = readSetting(env, 'OIDC_CLIENT_SECRET', clientPassword, null);
  if (issuer !== null && clientId !== null && clientSecret !== null) return { issuer, clientId, clientSecret };
  const missing = NAMES.filter((_, place) => [issuer, clientId, clientSecret][place] === null);
  if (missing.length === NAMES.length) return null;
  throw new ConfigError(`${missing.join(' and ')} must be set too: set ${NAMES.join(', ')}, or none of them.`);
}

/** Over http anybody in between could sign in as anybody. */
const issuerUrl: Kind<string> = {
  takes: 'the https URL of an OpenID Connect issuer (http on this machine only)',
  schema: z
    .url({ protocol: /^https?$/ })
    .refine(url => URL.canParse(url) && (url.startsWith('https:') || reachedFrom(url) === 'this_machine')),
  shown: 'url',
};

const clientName: Kind<string> = {
  takes: 'the client id that the provider gave',
  schema: z.string().regex(/^[\x20-\x7e]{1,500}$/),
  shown: 'value',
};

const clientPassword: Kind<string> = {
  takes: 'the client secret that the provider gave',
  schema: z.string().regex(/^[\x20-\x7e]{1,500}$/),
  shown: 'length',
};
