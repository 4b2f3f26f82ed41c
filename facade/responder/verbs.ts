/** What the buttons of the page do, as the last part of their paths. */
export const PAGE_VERBS = [
  'acknowledge',
  'shown',
  'next',
  'hand-over',
  'decline',
  'note',
  'close',
  'aloud',
  'silent',
] as const;

export type PageVerb = (typeof PAGE_VERBS)[number];
