import { z } from 'zod';
import { email } from '../../process/setting-kinds.ts';
import { type Environment, type Kind, readSetting } from '../../process/settings.ts';
import { SMTP_OPTIONS } from '../../process/vocabulary.ts';
import type { Carrier } from '../carrier.ts';
import { MAIL_PRESETS } from './presets.ts';
import { createMailReferences } from './reference.ts';
import { createReturnedMailbox } from './returned-mailbox.ts';
import { createEmailChannel } from './send.ts';

export interface MailSettings {
  /** SMTP_URL. Null: no mail is sent. */
  smtpUrl: string | null;
  /** MAIL_FROM: `address` or `Name <address>`. */
  from: string;
  /** MAIL_BOUNCE: where servers return what they cannot deliver; null: to `from`. */
  bounce: string | null;
  /** Of a second server: the setting of its URL, and the sender of the first. */
  second?: { setting: string; idFrom: string };
  /** MAIL_BOUNCE_IMAP: the mailbox for that; null if nobody reads it. */
  bounceImap: string | null;
}

/** Mail over SMTP. */
export const mail = {
  name: 'mail',
  title: { en: 'Mail server', de: 'Mailserver' },
  about: {
    en: 'Mail through a server that takes your login: that of your provider, or your own.',
    de: 'E-Mail über einen Server, bei dem Sie ein Konto haben: der Ihres Anbieters oder Ihr eigener.',
  },
  settings: [
    {
      name: 'SMTP_URL',
      asked: 'needed',
      holds: 'mail_server',
      label: { en: 'Server', de: 'Server' },
      hint: {
        en: 'Where mail is handed in (SMTP), and with which login.',
        de: 'Wo E-Mails abgegeben werden (SMTP), und mit welchen Zugangsdaten.',
      },
    },
    {
      name: 'MAIL_FROM',
      asked: 'optional',
      holds: 'text',
      label: { en: 'From', de: 'Absender' },
      hint: {
        en: 'An address of yours, alone or as "Tocsin <alarm@example.com>". Left empty it is the user of the login.',
        de: 'Eine Adresse von Ihnen, allein oder als „Tocsin <alarm@example.com>“. Bleibt es leer, ist es der Benutzer der Anmeldung.',
      },
    },
    {
      name: 'MAIL_BOUNCE',
      asked: 'rare',
      holds: 'text',
      label: { en: 'Returned mail goes to', de: 'Rückläufer gehen an' },
      hint: {
        en: 'An address whose mailbox Tocsin reads, so that mail that came back is noticed.',
        de: 'Eine Adresse, deren Postfach Tocsin liest, damit zurückgekommene E-Mails auffallen.',
      },
    },
    {
      name: 'MAIL_BOUNCE_IMAP',
      asked: 'rare',
      holds: 'secret',
      label: { en: 'Its mailbox', de: 'Ihr Postfach' },
      hint: {
        en: 'As imaps://user:password@host/INBOX, special characters percent-encoded.',
        de: 'Als imaps://user:password@host/INBOX, Sonderzeichen in Prozentschreibweise.',
      },
    },
  ],
  presets: MAIL_PRESETS,
  carries: ['email'],
  hint: 'SMTP_URL',
  read: readMail,
  open(_kind, { smtpUrl, second, ...settings }, { mailSecret, log }) {
    const references = createMailReferences(mailSecret);
    return smtpUrl === null ? null : createEmailChannel({ ...settings, ...second, url: smtpUrl, references, log });
  },
  returned({ bounceImap: url }, { mailSecret, mailSecretAlso, log }) {
    const references = createMailReferences(mailSecret, mailSecretAlso);
    return url === null ? null : createReturnedMailbox({ url, references, log });
  },
} satisfies Carrier<'mail', MailSettings>;

/** A second mail server, which stands by for the first (CARRIERS_EMAIL). What it cannot deliver comes back to the same mailbox. */
export const mail2 = {
  name: 'mail2',
  title: { en: 'Second mail server', de: 'Zweiter Mailserver' },
  about: {
    en: 'It stands by for the first one, where CARRIERS_EMAIL names mail2.',
    de: 'Er springt für den ersten ein, wenn CARRIERS_EMAIL mail2 nennt.',
  },
  settings: [
    {
      name: 'SMTP_URL_2',
      asked: 'needed',
      holds: 'mail_server',
      label: { en: 'Server', de: 'Server' },
      hint: {
        en: 'Where mail is handed in (SMTP), and with which login.',
        de: 'Wo E-Mails abgegeben werden (SMTP), und mit welchen Zugangsdaten.',
      },
    },
    {
      name: 'MAIL_FROM_2',
      asked: 'optional',
      holds: 'text',
      label: { en: 'From', de: 'Absender' },
      hint: {
        en: 'Left empty it is the sender of the first server.',
        de: 'Bleibt es leer, ist es der Absender des ersten Servers.',
      },
    },
  ],
  presets: MAIL_PRESETS,
  carries: ['email'],
  hint: 'SMTP_URL_2',
  inOrderOnly: true,
  read(env): MailSettings | null {
    const smtpUrl = readSetting(env, 'SMTP_URL_2', smtp, null);
    if (smtpUrl === null) return null;
    const first = readMail(env);
    const from = readSetting(env, 'MAIL_FROM', sender, senderFor(smtpUrl));
    const second = { setting: 'SMTP_URL_2', idFrom: first.from };
    return { ...first, smtpUrl, from: readSetting(env, 'MAIL_FROM_2', sender, from), second };
  },
  open: mail.open,
} satisfies Carrier<'mail2', MailSettings>;

function readMail(env: Environment): MailSettings {
  const smtpUrl = readSetting(env, 'SMTP_URL', smtp, null);
  const from = readSetting(env, 'MAIL_FROM', sender, senderFor(smtpUrl));
  return {
    smtpUrl,
    from,
    bounce: readSetting(env, 'MAIL_BOUNCE', email, null),
    bounceImap: readSetting(env, 'MAIL_BOUNCE_IMAP', imap, null),
  };
}

function hasKnownOptions(url: string): boolean {
  return URL.canParse(url) && [...new URL(url).searchParams.keys()].every(name => SMTP_OPTIONS.includes(name));
}

/** Tells whether all that is percent-encoded in a URL is text. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/** Mail servers accept a sender they know: the login, if it is an address. */
function senderFor(smtpUrl: string | null): string {
  const login = smtpUrl === null ? '' : decodeURIComponent(new URL(smtpUrl).username);
  return `Tocsin <${email.schema.safeParse(login).data ?? 'tocsin@localhost'}>`;
}

const smtp: Kind<string> = {
  takes: `a URL such as smtp://host:587 or smtps://user:password@host:465, special characters percent-encoded, and after a question mark nothing but ${SMTP_OPTIONS.join(', ')}`,
  schema: z
    .url({ protocol: /^smtps?$/, hostname: /./ })
    .regex(/^\w+:\/\//)
    .refine(isDecodable)
    .refine(hasKnownOptions),
  shown: 'length',
  credentials: 'in_one_url',
};

const imap: Kind<string> = {
  takes:
    'a URL such as imaps://user:password@host/INBOX, which begins with imaps:// or imap://, special characters percent-encoded',
  schema: z
    .url({ protocol: /^imaps?$/, hostname: /./ })
    .regex(/^\w+:\/\/[^:@/]+:[^:@/]+@/)
    .refine(isDecodable),
  shown: 'length',
  credentials: 'in_one_url',
};

const sender: Kind<string> = {
  takes: 'an email address, alone or as "Name <someone@example.com>"',
  schema: z.string().refine(text => email.schema.safeParse(/^[^<>\r\n]*<([^<>]*)>$/.exec(text)?.[1] ?? text).success),
  shown: 'value',
};
