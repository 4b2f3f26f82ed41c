import type { Carrier } from '../carrier.ts';
import { createWebhookChannel } from './send.ts';

/** Webhooks go to whatever their address names: nothing has to be set up. */
export const webhook = {
  name: 'webhook',
  title: { en: 'Webhooks', de: 'Webhooks' },
  about: { en: 'They go to whatever their address names.', de: 'Sie gehen dorthin, wohin ihre Adresse führt.' },
  settings: [],
  carries: ['webhook'],
  hint: '',
  read: () => 'always' as const,
  open: (_kind, _settings, { webhookSecret: secretOf, webhookSecretAlso, outboundNetworks, log }) =>
    createWebhookChannel({
      secretOf,
      ...(webhookSecretAlso !== undefined && { alsoOf: accountId => [webhookSecretAlso(accountId)] }),
      outboundNetworks,
      log,
    }),
} satisfies Carrier<'webhook', 'always'>;
