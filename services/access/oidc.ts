import { Code, ConnectError } from '@connectrpc/connect';
import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import type { Logger } from 'pino';
import { z } from 'zod';
import { email as emailKind } from '../process/vocabulary.ts';
import { say } from '../rpc/reader.ts';
import type { Seal } from '../store/seal.ts';

/** An identity provider, and this deployment's registration there. */
export interface OidcSettings {
  /** Its URL, below which its metadata is published. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** Sign-in at an identity provider. */
export interface Oidc {
  /** Begins a sign-in that returns to `callbackUrl`. Throws UNAVAILABLE if the provider does not answer. */
  start(callbackUrl: string): Promise<{ url: string; flow: string }>;
  /**
   * Returns the email that the provider vouches for, from the query with which it sent a browser back; null if it
   * vouches for none. Throws UNAVAILABLE if the provider does not answer.
   */
  vouchedFor(answer: { flow: string; query: string }): Promise<string | null>;
}

/** What must be the same when the browser returns. */
const flowKind = z.strictObject({ verifier: z.string(), state: z.string(), nonce: z.string(), callbackUrl: z.url() });

/** How long the provider may take for one request, in seconds. */
const TIMEOUT_S = 4;

/** The longest query of a callback that is read, in characters. */
const QUERY_MOST = 8_000;

/**
 * Signs in by authorization code with PKCE, state and nonce (DECISIONS.md "Identity provider"). All three are sent to
 * the browser encrypted and come back with it, so that any process can complete what another one began.
 */
export function createOidc(settings: OidcSettings, { seal, log }: { seal: Seal; log: Logger }): Oidc {
  const found = discovered(settings);

  async function asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (fault) {
      if (!isAway(fault)) throw fault;
      log.warn({ issuer: settings.issuer, reason: reasonOf(fault) }, 'the identity provider does not answer');
      throw new ConnectError(say().refusals.oidcAway, Code.Unavailable);
    }
  }

  return {
    start: callbackUrl =>
      asked(async () => {
        const [client, config] = await Promise.all([import('openid-client'), found()]);
        const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()];
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: callbackUrl,
          scope: 'openid email',
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        });
        return { url: url.href, flow: seal.seal(JSON.stringify({ verifier, state, nonce, callbackUrl })) };
      }),
    async vouchedFor({ flow, query }) {
      const begun = openFlow(seal, flow);
      if (begun === null || query.length > QUERY_MOST) return null;
      const { verifier, state, nonce, callbackUrl } = begun;
      try {
        return await asked(async () => {
          const [client, config] = await Promise.all([import('openid-client'), found()]);
          const tokens = await client.authorizationCodeGrant(config, new URL(`?${query}`, callbackUrl), {
            pkceCodeVerifier: verifier,
            expectedState: state,
            expectedNonce: nonce,
            idTokenExpected: true,
          });
          const claims = tokens.claims()!;
          // Not every provider includes the email in the ID token.
          const said =
            claims.email === undefined ? await client.fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
          return verifiedEmail(said, log);
        });
      } catch (fault) {
        if (fault instanceof ConnectError) throw fault;
        log.warn({ reason: reasonOf(fault) }, 'a sign-in at the identity provider was not completed');
        return null;
      }
    },
  };
}

/** Reads the provider's metadata on first use, and again after a fault. */
function discovered({ issuer, clientId, clientSecret }: OidcSettings): () => Promise<Configuration> {
  let reading: Promise<Configuration> | null = null;
  return () => {
    reading ??= import('openid-client').then(async client => {
      const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
      return client.discovery(new URL(issuer), clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_S });
    });
    reading.catch(() => {
      reading = null;
    });
    return reading;
  };
}

/** Null where it was not made here. */
function openFlow(seal: Seal, flow: string): z.infer<typeof flowKind> | null {
  try {
    const result = flowKind.safeParse(JSON.parse(seal.open(flow)));
    return result.success ? result.data : null;
  } catch {
    return null;
  }
}

/** An unverified address, which anybody could have typed in at the provider, does not count. */
function verifiedEmail(said: IDToken | UserInfoResponse, log: Logger): string | null {
  const { email, email_verified: verified } = said;
  if (typeof email === 'string' && emailKind.fits(email) && verified === true) return email;
  log.warn(
    { email: typeof email === 'string' ? 'not_verified' : 'missing' },
    'the identity provider vouches for no email',
  );
  return null;
}

/** Tells whether the provider could not be reached; anything else is its answer, or that of a browser. */
function isAway(fault: unknown): boolean {
  const code = fault instanceof Error && 'code' in fault ? fault.code : '';
  return fault instanceof TypeError || AWAY.has(String(code));
}

const AWAY: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

/** Only the code: messages may contain what the provider said about a person. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown';
  const { code, error } = fault as { code?: unknown; error?: unknown };
  return [fault.name, code, error].filter(part => typeof part === 'string').join(' ');
}
