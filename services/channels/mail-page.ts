import { escapeHtml } from '../process/text.ts';
import { COLOURS, type Colour, SIZES } from '../process/tokens.ts';

/** One line of a message. */
export interface Fact {
  label: string;
  value: string;
  /** `code`: to be typed elsewhere, so it is large. */
  shape?: 'code';
}

/** What a mail shows, plain text that is escaped here. */
interface Content {
  /** BCP 47, the language of the words. */
  language: string;
  subject: string;
  /** Above the subject, as on the page of the person alerted; null: nothing. */
  band: { tone: 'live' | 'test' | 'good'; label: string } | null;
  facts: readonly Fact[];
  /** The button; null if there is none. */
  page: { url: string; label: string } | null;
}

const BAND = 'padding:10px;font-size:18px;font-weight:700;letter-spacing:1px;text-align:center';

/**
 * What mails are made of, by class: what it looks like, with the colours apart. Mail programs want both in each element; the
 * classes are for those that know the dark as well.
 */
const PARTS = {
  ground: { css: `margin:0;padding:0;font-family:${SIZES.sans.replaceAll('"', "'")}`, ink: 'text', on: 'ground' },
  card: {
    css: `max-width:560px;border-radius:${SIZES.radius};overflow:hidden;word-break:break-word`,
    ink: 'text',
    on: 'card',
  },
  live: { css: BAND, ink: 'on-solid', on: 'live-solid' },
  test: { css: `${BAND};border:3px dashed`, ink: 'on-solid', on: 'test-solid' },
  good: { css: BAND, ink: 'on-solid', on: 'good-solid' },
  head: { css: 'margin:0;font-size:26px;line-height:1.2;font-weight:700', ink: 'text' },
  button: {
    css: `display:block;padding:20px;border-radius:${SIZES['radius-small']};font-size:20px;font-weight:700;text-align:center;text-decoration:none`,
    ink: 'card',
    on: 'text',
  },
  label: { css: 'margin:16px 0 0;font-size:14px', ink: 'soft' },
  value: { css: 'margin:0;font-size:17px;line-height:1.4', ink: 'text' },
  code: { css: `margin:0;font:700 32px ${SIZES.mono.replaceAll('"', "'")};letter-spacing:4px`, ink: 'text' },
  foot: { css: 'margin:0;padding:16px;font-size:14px;text-align:center', ink: 'soft' },
} as const satisfies Record<string, { css: string; ink: Colour; on?: Colour }>;

type Part = keyof typeof PARTS;

const DARK = Object.keys(PARTS).map(name => `.${name}{${coloursOf(name as Part, 1, '!important')}}`);

const HEAD = `<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${DARK.join('')}}</style>`;

/**
 * Writes the HTML part of a mail, which looks like the page of the person alerted: what it is, at most one link as a large
 * button, facts. It fetches nothing and runs nothing, and without its style it still reads in this order.
 */
export function mailPage({ language, subject, band, facts, page }: Content): string {
  const rows = facts.map(
    ({ label, value, shape }) =>
      `<p${as('label')}>${escapeHtml(label)}</p>\n<p${as(shape ?? 'value')} dir="auto">${escapeHtml(value)}</p>`,
  );
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>${HEAD}<title>${escapeHtml(subject)}</title></head>
<body${as('ground')}>
<main><table role="presentation" width="100%" cellpadding="0" cellspacing="0"${as('ground')}><tr><td align="center" style="padding:16px 8px 0">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"${as('card')}>
${band === null ? '' : `<tr><td${as(band.tone)}>${escapeHtml(band.label)}</td></tr>\n`}<tr><td style="padding:24px">
<h1${as('head')} dir="auto">${escapeHtml(subject)}</h1>
${page === null ? '' : buttonOf(page)}${rows.join('\n')}
</td></tr></table>
<p${as('foot')}>Tocsin</p>
</td></tr></table></main>
</body>
</html>
`;
}

/** A table around the link: mail programs that know no blocks still show one that is easy to hit. */
function buttonOf({ url, label }: NonNullable<Content['page']>): string {
  const link = `<a href="${escapeHtml(url)}"${as('button')}>${escapeHtml(label)}</a>`;
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:20px 0"><tr><td>${link}</td></tr></table>\n`;
}

/** The attributes of an element that is such a part. */
function as(part: Part): string {
  return ` class="${part}" style="${PARTS[part].css};${coloursOf(part, 0)}"`;
}

function coloursOf(part: Part, scheme: 0 | 1, end = ''): string {
  const { ink, on }: { ink: Colour; on?: Colour } = PARTS[part];
  const ground = on === undefined ? '' : `background-color:${COLOURS[on][scheme]}${end};`;
  return `${ground}color:${COLOURS[ink][scheme]}${end}`;
}
