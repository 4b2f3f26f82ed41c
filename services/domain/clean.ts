/** How much of a name is shown, and of a postal address, in characters. */
export const NAME_LENGTH = 80;
export const ADDRESS_LENGTH = 300;

/**
 * Makes a text that anybody may have written safe to show on one line: no control characters or line breaks, nothing that
 * turns the direction of the text round, composed (NFC), at most `most` characters with `…` where it was cut. Giving it its
 * own result changes nothing.
 */
export function clean(text: string, most: number): string {
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

/** The same for a text of several lines, such as a postal address: they become one, with commas between. */
export function cleanLines(text: string, most: number): string {
  const lines = text.split(/[\r\n\v\f\u0085\u2028\u2029]+/).map(line => clean(line, most));
  return clean(lines.filter(line => line !== '').join(', '), most);
}

/** Makes a text stand for itself in HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
}
