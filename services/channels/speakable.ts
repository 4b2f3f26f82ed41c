/**
 * A clean text as a voice reads it well: letters, digits and the few signs that only make it pause or are part of a word. Long
 * numbers are read digit by digit: nobody finds a house by "one thousand and ten".
 */
export function speakable(text: string): string {
  return text
    .replace(/[^\p{L}\p{M}\p{N}\s.,'’&+-]/gu, ' ')
    .replace(/\p{Nd}{4,}/gu, digits => [...digits].join(' '))
    .replace(/\s+/g, ' ')
    .replace(/\s(?=[.,])/g, '')
    .replace(/[.,\s]+$/, '')
    .trim();
}
