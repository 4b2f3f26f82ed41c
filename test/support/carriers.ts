import type { CarrierSettings } from '../../services/channels/carriers.ts';

/** A deployment that has no carrier of its own. URLs of owners may lead to this machine, where the servers of tests are. */
export const NO_CARRIERS: CarrierSettings = {
  mail2: null,
  mail: { smtpUrl: null, from: 'Tocsin <alarm@tocsin.test>', bounce: null, bounceImap: null },
  twilio: null,
  gateway: null,
  telnyx: null,
  whatsapp: null,
  ntfy: null,
  pushover: null,
  'web-push': null,
  telegram: null,
  signal: null,
  apprise: null,
  webhook: 'always',
  webhookSecret: () => `whsec_${Buffer.alloc(32, 'w').toString('base64')}`,
  mailSecret: 'a secret of the tests for mails',
  outboundNetworks: ['127.0.0.0/8'],
};

/** The same with a mail server, where there is one. */
export function carriers(smtpUrl: string | null): CarrierSettings {
  return { ...NO_CARRIERS, mail: { ...NO_CARRIERS.mail, smtpUrl } };
}
