import type { SignatureVersion } from './standard-webhooks.ts';

/** What is made of DATA_KEY and not set from outside. */
export type MadeSetting = 'webhookSecret' | 'mailSecret';

/** Which carriers a deployment has. Null: none of this kind. */
export interface CarrierSettings {
  mail: {
    /** SMTP_URL. */
    smtpUrl: string | null;
    /** MAIL_FROM: `address` or `Name <address>`. */
    from: string;
    /** MAIL_BOUNCE: where servers send back what they cannot deliver; null: to `from`. */
    bounce: string | null;
    /** MAIL_BOUNCE_IMAP: the mailbox in which that arrives; null: nobody reads it. */
    bounceImap: string | null;
  };
  /** Texts and calls. */
  twilio: TwilioSettings | null;
  /** Texts and calls through a gateway of one's own. With `twilio` set it is not used. */
  gateway: GatewaySettings | null;
  /** Push messages. */
  ntfy: NtfySettings | null;
  /** Under what webhooks of an account are signed: `whsec_…` (Standard Webhooks). */
  webhookSecret: (accountId: string) => string;
  /** Under what our mails are signed, so that reports about them can be told from others. */
  mailSecret: string;
  /** OUTBOUND_NETWORKS: private addresses (CIDR) that URLs of owners may lead to all the same, by http too. */
  outboundNetworks: readonly string[];
}

export interface TwilioSettings {
  /** TWILIO_ACCOUNT_SID: `AC` and 32 hexadecimal digits. */
  accountSid: string;
  /** TWILIO_AUTH_TOKEN. */
  authToken: string;
  /** TWILIO_FROM: a number in E.164. */
  from: string;
  /** TWILIO_API_URL, without trailing slash. */
  apiUrl: string;
}

export interface GatewaySettings {
  /** GATEWAY_URL: takes every text and call as a signed POST. */
  url: string;
  /** GATEWAY_SECRET: `whsec_…`. */
  secret: string;
  /** GATEWAY_SIGNATURE: the least that signatures of the gateway's own requests cover. */
  signature: SignatureVersion;
}

export interface NtfySettings {
  /** NTFY_URL: the server on which topics live, without trailing slash. */
  url: string;
  /** NTFY_TOKEN: null: none is needed. */
  token: string | null;
}
