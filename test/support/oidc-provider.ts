import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { onTestFinished } from 'vitest';
import type { OidcSettings } from '../../services/access/oidc.ts';

/** A real identity provider on this machine, at which anybody signs in by typing an email; it ends with the test. */
export async function startOidcProvider(
  /** What it says of an email. */
  vouches: (email: string) => { email?: string; email_verified?: boolean },
) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const settings: OidcSettings = { issuer, clientId: 'tocsin', clientSecret: 'a secret of the provider and of Tocsin' };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    settings,
    /** Begins to answer, now that it is known where people go back to. */
    serve(redirectUri: string): void {
      const provider = new Provider(issuer, {
        clients: [{ client_id: settings.clientId, client_secret: settings.clientSecret, redirect_uris: [redirectUri] }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'] },
        pkce: { required: () => true },
        ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
        cookies: { keys: ['a key of the tests'] },
        findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...vouches(id) }) }),
        // Nobody is asked whether they consent.
        async loadExistingGrant({ oidc }) {
          const grant = new oidc.provider.Grant({
            clientId: settings.clientId,
            accountId: oidc.session!.accountId!,
          });
          grant.addOIDCScope('openid email');
          await grant.save();
          return grant;
        },
      });
      server.removeAllListeners('request');
      server.on('request', provider.callback());
    },
    /** Ends all that it answers. */
    stop(): void {
      server.removeAllListeners('request');
      server.on('request', request => request.socket.destroy());
    },
  };
}
