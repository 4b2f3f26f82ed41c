import { z } from 'zod';
import type { CarrierSettings, MadeSetting } from '../channels/carrier-settings.ts';
import type { SignatureVersion } from '../channels/standard-webhooks.ts';
import { networks } from '../process/setting-kinds.ts';
import { ConfigError, type Environment, type Kind, readSetting, webUrl } from '../process/settings.ts';
import { EMAIL_ADDRESS, PHONE_NUMBER } from '../process/vocabulary.ts';

/** How messages leave, as far as it is set from outside. Throws ConfigError. */
export function readCarriers(env: Environment): Omit<CarrierSettings, MadeSetting> {
  return {
    mail: readMail(env),
    twilio: readTwilio(env),
    gateway: readGateway(env),
    ntfy: readNtfy(env),
    outboundNetworks: readSetting(env, 'OUTBOUND_NETWORKS', networks, []),
  };
}

function readMail(env: Environment): CarrierSettings['mail'] {
  const smtpUrl = readSetting(env, 'SMTP_URL', smtp, null);
  const from = readSetting(env, 'MAIL_FROM', sender, senderFor(smtpUrl));
  return {
    smtpUrl,
    from,
    bounce: readSetting(env, 'MAIL_BOUNCE', email, null),
    bounceImap: readSetting(env, 'MAIL_BOUNCE_IMAP', imap, null),
  };
}

/** Mail servers take a sender that they know: the login, where that is an address. */
function senderFor(smtpUrl: string | null): string {
  const login = smtpUrl === null ? '' : decodeURIComponent(new URL(smtpUrl).username);
  return `Tocsin <${email.schema.safeParse(login).data ?? 'tocsin@localhost'}>`;
}

function readTwilio(env: Environment): CarrierSettings['twilio'] {
  const apiUrl = readSetting(env, 'TWILIO_API_URL', webUrl, 'https://api.twilio.com');
  const accountSid = readSetting(env, 'TWILIO_ACCOUNT_SID', accountSidKind, null);
  const authToken = readSetting(env, 'TWILIO_AUTH_TOKEN', authTokenKind, null);
  const from = readSetting(env, 'TWILIO_FROM', twilioFrom, null);
  const parts = { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: from };
  if (accountSid === null || authToken === null || from === null) return allOrNone(parts);
  return { accountSid, authToken, from, apiUrl };
}

function readGateway(env: Environment): CarrierSettings['gateway'] {
  const signature = readSetting(env, 'GATEWAY_SIGNATURE', signatureVersion, 'v2');
  const url = readSetting(env, 'GATEWAY_URL', webUrl, null);
  const secret = readSetting(env, 'GATEWAY_SECRET', signingSecret, null);
  if (url === null || secret === null) return allOrNone({ GATEWAY_URL: url, GATEWAY_SECRET: secret });
  return { url, secret, signature };
}

function readNtfy(env: Environment): CarrierSettings['ntfy'] {
  const url = readSetting(env, 'NTFY_URL', webUrl, null);
  const token = readSetting(env, 'NTFY_TOKEN', ntfyToken, null);
  return url === null ? null : { url, token };
}

/** A carrier that is half set up would fail at night, at the first alert. */
function allOrNone(parts: Record<string, string | null>): null {
  const missing = Object.keys(parts).filter(name => parts[name] === null);
  if (missing.length === Object.keys(parts).length) return null;
  const others = Object.keys(parts).filter(name => parts[name] !== null);
  const verb = (names: readonly string[]) => (names.length === 1 ? 'is' : 'are');
  const [lacks, has] = [missing.join(' and '), others.join(' and ')];
  throw new ConfigError(`${lacks} ${verb(missing)} missing: ${has} ${verb(others)} set. Set all of them or none.`);
}

const smtp: Kind<string> = {
  takes: 'a URL such as smtp://host:587 or smtps://user:password@host:465, special characters percent-encoded',
  schema: z
    .url({ protocol: /^smtps?$/, hostname: /./ })
    .regex(/^\w+:\/\//)
    .regex(/^([^%]|%[0-9a-fA-F]{2})*$/),
  shown: 'length',
};

const imap: Kind<string> = {
  takes:
    'a URL such as imaps://user:password@host/INBOX, which begins with imaps:// or imap://, special characters percent-encoded',
  schema: z
    .url({ protocol: /^imaps?$/, hostname: /./ })
    .regex(/^\w+:\/\/[^:@/]+:[^:@/]+@/)
    .regex(/^([^%]|%[0-9a-fA-F]{2})*$/),
  shown: 'length',
};

export const email: Kind<string> = {
  takes: 'an email address such as someone@example.com',
  schema: z.string().regex(EMAIL_ADDRESS),
  shown: 'value',
};

const sender: Kind<string> = {
  takes: 'an email address, alone or as "Name <someone@example.com>"',
  schema: z.string().refine(text => email.schema.safeParse(/^[^<>\r\n]*<([^<>]*)>$/.exec(text)?.[1] ?? text).success),
  shown: 'value',
};

const accountSidKind: Kind<string> = {
  takes: 'the Account SID: AC and 32 hexadecimal digits',
  schema: z.string().regex(/^AC[0-9a-fA-F]{32}$/),
  shown: 'value',
};

const authTokenKind: Kind<string> = {
  takes: 'the Auth Token: letters and digits without blanks',
  schema: z.string().regex(/^[!-~]{16,128}$/),
  shown: 'length',
};

const twilioFrom: Kind<string> = {
  takes: 'a phone number of yours in E.164, such as +12025550100',
  schema: z.string().regex(PHONE_NUMBER),
  shown: 'value',
};

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

const ntfyToken: Kind<string> = {
  takes: 'an access token such as tk_…, letters and digits without blanks',
  schema: z.string().regex(/^[!-~]{1,200}$/),
  shown: 'length',
};
