/** The armed modes, in the order in which every list shows them (SPEC.md 2, DECISIONS.md "Lists"). Disarmed is not a mode. */
export const MODES = ['home', 'away', 'night', 'vacation'] as const;

/** The ways to reach a person, in the order in which another channel is tried when one fails for good. */
export const CHANNELS = ['text', 'call', 'email', 'push', 'chat', 'webhook'] as const;

export type ChannelKind = (typeof CHANNELS)[number];

/** How many addresses a contact may have of each channel: where an address belongs to its carrier, several stand by for each other. */
export const ADDRESSES_MOST: Readonly<Record<ChannelKind, number>> = {
  text: 1,
  call: 1,
  email: 1,
  push: 4,
  chat: 4,
  webhook: 1,
};

/** How many addresses a contact may have in all. */
export const ADDRESSES_OF_CONTACT = Object.values(ADDRESSES_MOST).reduce((sum, most) => sum + most, 0);

/** Returns what an address begins with, where that says which carrier it belongs to: `pushover:`. Empty: it belongs to none. */
export function viaOf(address: string): string {
  return /^[a-z]+:(?!\/\/)/.exec(address)?.[0] ?? '';
}

/** Matches a phone number in E.164: a plus sign and 8 to 15 digits. */
export const PHONE_NUMBER = /^\+[1-9][0-9]{7,14}$/;

/** Matches an email address as HTML forms take it (HTML "valid e-mail address"). */
export const EMAIL_ADDRESS =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** A kind of address: how it is described in the sentence "takes …", and whether a text is one. */
export interface AddressKind {
  takes: string;
  fits(text: string): boolean;
}

/** What an address of Telegram begins with. */
export const TELEGRAM_PREFIX = 'telegram:';

/** What an address at Apprise begins with. */
export const APPRISE_PREFIX = 'apprise:';

/** What an address of Signal begins with. */
export const SIGNAL_PREFIX = 'signal:';

/** A key of an Apprise server, as that takes them. URLs of services are none. */
const APPRISE_KEY = /^[A-Za-z0-9_-]{1,128}$/;

/** The id of one person; that of a group begins with a hyphen, and anybody in it could press. */
const TELEGRAM_ID = /^[1-9][0-9]{0,15}$/;

/**
 * What may follow the address in SMTP_URL: of nodemailer's options those that say how to talk to the server. With others it would not
 * talk to one at all, but run a program.
 */
export const SMTP_OPTIONS: readonly string[] = [
  'maxConnections',
  'maxMessages',
  'rateDelta',
  'rateLimit',
  'requireTLS',
  'ignoreTLS',
  'opportunisticTLS',
  'tls.rejectUnauthorized',
  'tls.servername',
  'tls.minVersion',
  'authMethod',
  'name',
];

/** What an address of Pushover begins with. */
export const PUSHOVER_PREFIX = 'pushover:';

/**
 * The key of one person; that of a group begins with g, and the first of it would answer for all. Alone it is no topic: whoever pastes it
 * into the wrong field would have it published to everybody.
 */
const PUSHOVER_KEY = /^u[A-Za-z0-9]{29}$/;

/**
 * The address of whoever is alerted in their browsers: all that subscribed for the contact (channels/web-push/). With a colon, so that it is no
 * topic.
 */
export const WEB_PUSH_ADDRESS = 'web:devices';

/** What follows in an address of a chat. */
const CHATS: readonly [prefix: string, fits: RegExp][] = [
  [TELEGRAM_PREFIX, TELEGRAM_ID],
  [SIGNAL_PREFIX, PHONE_NUMBER],
  [APPRISE_PREFIX, APPRISE_KEY],
];

const phone: AddressKind = {
  takes: 'a phone number in E.164, such as +12025550111: a plus sign and 8 to 15 digits, no blanks',
  fits: text => PHONE_NUMBER.test(text),
};

export const email: AddressKind = {
  takes: 'an email address such as someone@example.com',
  fits: text => mailAddress(text) !== null,
};

/** The longest address that SMTP carries, and the longest part before its `@` (RFC 5321 4.5.3.1). */
const LONGEST = 254;
const LONGEST_LOCAL = 64;

/**
 * Returns the address for the envelope, or null if it is invalid: `name@domain` with a plain ASCII name; a domain in any
 * script, converted to ASCII (`bücher.example` to `xn--bcher-kva.example`). No display names, comments or lists, so that
 * no mail server can interpret what a person typed in another way.
 */
export function mailAddress(typed: string): string | null {
  const at = typed.lastIndexOf('@');
  const local = typed.slice(0, at);
  const domain = typed.slice(at + 1);
  if (at < 1 || local.length > LONGEST_LOCAL || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return null;
  const address = `${local}@${asciiDomain(domain)}`;
  return address.length <= LONGEST && EMAIL_ADDRESS.test(address) ? address : null;
}

/** The kind of address of each channel (DECISIONS.md "Contact"). Only the shape is checked: a drill shows whether it works. */
export const ADDRESSES: Readonly<Record<ChannelKind, AddressKind>> = {
  text: phone,
  call: phone,
  email,
  push: {
    takes:
      'a topic of letters, digits, hyphens and underscores, the https URL of a topic, pushover: and a user key of Pushover (u and 29 letters and digits), or web:devices',
    fits: text =>
      text.startsWith(PUSHOVER_PREFIX)
        ? PUSHOVER_KEY.test(text.slice(PUSHOVER_PREFIX.length))
        : text === WEB_PUSH_ADDRESS || isUrl(text) || (/^[A-Za-z0-9_-]{1,64}$/.test(text) && !PUSHOVER_KEY.test(text)),
  },
  chat: {
    takes:
      'telegram: and the id of a person at Telegram, such as telegram:123456789, which the bot tells to whoever writes to it; signal: and a phone number in E.164, such as signal:+12025550111; or apprise: and a key that the operator has set up there',
    fits: text => CHATS.some(([prefix, fits]) => text.startsWith(prefix) && fits.test(text.slice(prefix.length))),
  },
  webhook: { takes: 'an https URL, at most 500 characters', fits: isUrl },
};

/** A page that people alerted are shown a link to (DECISIONS.md "Look here"). A login in it would be everybody's who is alerted. */
export const lookUrl: AddressKind = {
  takes: 'an https URL without a login, at most 500 characters',
  fits: text => isUrl(text) && new URL(text).username === '' && new URL(text).password === '',
};

function asciiDomain(domain: string): string {
  if (/^[\x21-\x7e]*$/.test(domain)) return domain.toLowerCase();
  return URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : '';
}

/** From where an address can be reached: from anywhere, within its network, or only on its own machine. */
export type Reached = 'anywhere' | 'network' | 'this_machine';

/** Hosts that are plainly in a network of the operator's (public-address.ts tells it of all). */
const INSIDE =
  /^(\[(f[cde]|::1\])|localhost$|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|[^.]+$)|\.(local|localhost|internal|lan|home\.arpa)$/;

/**
 * Tells whether a message or a link may lead to a URL: by https, or by http to a host that is plainly in a network of the operator's
 * (OUTBOUND_NETWORKS says whether it is; channels/outbound.ts asks that at each sending).
 */
function isUrl(text: string): boolean {
  if (!/^https?:\/\/[!-~]{1,492}$/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return hostname !== '' && (protocol === 'https:' || INSIDE.test(hostname));
}
