/** How much of a name and of a postal address is shown, in characters. */
export const NAME_LENGTH = 80;
export const ADDRESS_LENGTH = 300;

/**
 * Makes untrusted text safe to show on one line: no control characters, line breaks or direction marks, composed (NFC), at
 * most `most` characters with `…` where it was cut. Idempotent.
 */
export function clean(text: string, most = Number.POSITIVE_INFINITY): string {
  const line = text
    .toWellFormed()
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .normalize('NFC')
    .trim();
  const characters = [...line];
  if (characters.length <= most) return line;
  return `${characters
    .slice(0, most - 1)
    .join('')
    .trimEnd()}…`;
}

/** Cleans a text of several lines, such as a postal address, and joins them with commas. */
export function cleanLines(text: string, most = Number.POSITIVE_INFINITY): string {
  const lines = text.split(/[\r\n\v\f\u0085\u2028\u2029]+/).map(line => clean(line, most));
  return clean(lines.filter(line => line !== '').join(', '), most);
}

/** What stands in the link of a message, and in what carriers are given to name it (services/responder/links.ts). */
const LINK_TOKEN = /[a-z0-9]{32}[\w-]{16,}/g;

/**
 * Takes the links of our messages out of another party's text: a server that refuses a message may quote it, and a link
 * belongs to the person alerted (DECISIONS.md "Link and reply code").
 */
export function withoutLinks(said: string): string {
  return said.replace(LINK_TOKEN, '[link]');
}

/** Escapes a text for HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
}

/** Formats cents as US dollars: `$12.05`. */
export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

/** How much of a wrong value is shown, in characters. */
const SHOWN_LENGTH = 80;

/** Formats a value for a sentence: as short JSON on one line, without characters that a terminal would interpret. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return clean((JSON.stringify(value) ?? typeof value).replaceAll(/\p{Cf}/gu, ''), SHOWN_LENGTH);
}

/** Formats a secret for a sentence: by its length only. */
export function shownSecret(secret: string): string {
  return `${secret.length} characters`;
}

/**
 * Says what is wrong with a field, a flag or a setting, after its name: `pageSize takes 0 to 200, got 300.` The only
 * form for all input, over RPC, on the command line, in a file or from the environment. `got` is formatted with `shown`
 * or `shownSecret`; `todo` says what to do about it.
 */
export function mismatch(accepted: string, got: string, todo = ''): string {
  return `takes ${accepted}, got ${got}${todo && `: ${todo}`}.`;
}
