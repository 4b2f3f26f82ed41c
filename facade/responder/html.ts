import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '../../gen/tocsin/incident/v1/page_pb.ts';
import { escapeHtml } from '../../services/process/text.ts';
import { policyHash } from '../answer.ts';
import { faceHead, TOKENS_CSS } from '../face.ts';
import type { PageVerb } from './verbs.ts';

const STYLE = TOKENS_CSS + read('page.css');

/** The script of the page. */
export const SCRIPT = read('page.js');

/** Its path: a changed text has another URL, so it may be cached forever. */
export const SCRIPT_PATH = '/i/page.js';
const SCRIPT_URL = `page.js?${hashOf(SCRIPT).slice(0, 8)}`;

/** The hash of the style for a Content-Security-Policy. */
export const STYLE_HASH = policyHash(STYLE);

/**
 * Renders the page of an incident as HTML (DECISIONS.md "Acknowledge"). Without a script it works with forms and
 * reloads itself; its texts are escaped here, and each has its own direction. Its URLs are relative to `/i/`: if
 * PUBLIC_URL has a path, a proxy removes it before we see it.
 */
export function pageHtml(page: Page, token: string): string {
  const asksAnew = '<noscript><meta http-equiv="refresh" content="15"></noscript>';
  const head = `${asksAnew}<script src="${SCRIPT_URL}" defer></script>`;
  return documentOf({ language: page.language, title: page.title, head, main: mainHtml(page, token) });
}

/** Renders the part that changes: the `<main>`. */
export function mainHtml(page: Page, token: string): string {
  const facts = page.facts.map(
    ({ label, value }) => `<dt>${escapeHtml(label)}</dt><dd dir="auto">${escapeHtml(value)}</dd>`,
  );
  const look = page.lookHere.map(({ label, url }) => linkTo(url, label));
  const calls = page.calls.map(
    ({ label, number, kind }) =>
      `<a class="dial ${escapeHtml(kind)}" href="tel:${escapeHtml(number)}" dir="auto">${escapeHtml(label)}</a>`,
  );
  const told = page.told.map(line => `<li dir="auto">${escapeHtml(line)}</li>`);
  const notes = page.notes.map(line => `<li dir="auto">${escapeHtml(line)}</li>`);
  const joined = (parts: readonly ((page: Page, token: string) => string)[]) =>
    parts.map(part => part(page, token)).join('');
  const actions = joined([acknowledging, asking, closing]);
  const more = joined([declining, goingOn, handingOver, noting]);
  return `<main class="${escapeHtml(`${page.environment} ${page.state}`)}" data-print="${escapeHtml(page.print)}">
<p class="offline" role="status" hidden>${escapeHtml(page.offline)}</p>
${page.environmentLabel === '' ? '' : `<p class="environment"><span>${escapeHtml(page.environmentLabel)}</span>${clock(page)}</p>`}
<h1 dir="auto">${escapeHtml(page.title)}</h1>
<p class="status" role="status" dir="auto">${escapeHtml(page.status)}</p>
${look.length === 0 ? '' : `<div class="look">${look.join('\n')}</div>`}
${page.notice === '' ? '' : `<p class="said" role="alert">${escapeHtml(page.notice)}</p>`}
${facts.length === 0 ? '' : `<dl>${facts.join('\n')}</dl>`}
${page.mapUrl === '' ? '' : linkTo(page.mapUrl, page.mapLabel)}
${actions === '' ? '' : `<div class="actions">${actions}</div>`}
${calls.length === 0 ? '' : `<div class="calls">${calls.join('\n')}</div>`}
${notes.length === 0 ? '' : `<h2>${escapeHtml(page.notesHeading)}</h2><ul class="notes">${notes.join('\n')}</ul>`}
${told.length === 0 ? '' : `<h2>${escapeHtml(page.toldHeading)}</h2><ul>${told.join('\n')}</ul>`}
${more === '' ? '' : `<div class="more">${more}</div>`}
<p class="you" dir="auto">${escapeHtml(page.you)}</p>
</main>`;
}

/** A clock that page.js lets run. Without a script it stands, and the page comes anew every 15 s. */
function clock({ openForS, openForLabel }: Page): string {
  if (openForS === undefined) return '';
  return ` <span class="clock" role="timer" aria-label="${escapeHtml(openForLabel)}" data-s="${openForS}">${clockTime(openForS)}</span>`;
}

/** Returns `4:05`, `1:29:04`, `50:00:00`. */
function clockTime(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(seconds % 60)}`;
}

/** Renders a page with one message in all our languages, because the reader is unknown. `head` may make it reload. */
export function noticeHtml(sentences: readonly { language: string; text: string }[], head = ''): string {
  const lines = sentences.map(({ language, text }) => `<p lang="${language}">${escapeHtml(text)}</p>`);
  return documentOf({
    language: 'en',
    title: 'Tocsin',
    head,
    main: `<main class="notice">\n<div>\n<h1>Tocsin</h1>\n${lines.join('\n')}\n</div>\n</main>`,
  });
}

/** Renders a page below `/i/` or `/ring/`. `manifest`: its own, relative to it; absent: that of the console. */
export function documentOf(on: {
  language: string;
  title: string;
  head: string;
  main: string;
  manifest?: string;
}): string {
  return `<!doctype html>
<html lang="${escapeHtml(on.language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
${faceHead('../', on.manifest)}
<title>${escapeHtml(on.title)}</title>
<style>${STYLE}</style>${on.head}</head>
<body>
${on.main}
</body>
</html>
`;
}

/** A link away from us: what it leads to learns nothing of this page. */
function linkTo(url: string, label: string): string {
  return `<a class="away" href="${escapeHtml(url)}" rel="noopener noreferrer" target="_blank" dir="auto">${escapeHtml(label)}</a>`;
}

function acknowledging({ acknowledgeLabel }: Page, token: string): string {
  return acknowledgeLabel === '' ? '' : button(token, 'acknowledge', acknowledgeLabel);
}

function declining({ declineLabel }: Page, token: string): string {
  return declineLabel === '' ? '' : button(token, 'decline', declineLabel);
}

/** Whether the message of a drill rang aloud. */
function asking({ ringQuestion, ringAloudLabel, ringSilentLabel }: Page, token: string): string {
  if (ringQuestion === '') return '';
  const buttons = [button(token, 'aloud', ringAloudLabel), button(token, 'silent', ringSilentLabel)];
  return `<p class="question" dir="auto">${escapeHtml(ringQuestion)}</p>${buttons.join('')}`;
}

/** The step goes along that was seen as the next one: of two touches one sends it. */
function goingOn({ nextLabel, nextStep }: Page, token: string): string {
  return nextLabel === '' ? '' : button(token, 'next', nextLabel, hidden('step', nextStep));
}

function handingOver({ handOverLabel, handOverText, people }: Page, token: string): string {
  if (handOverLabel === '') return '';
  const buttons = people.map(({ id, name }) => button(token, 'hand-over', name, hidden('contact', id)));
  return `<details class="hand-over"><summary>${escapeHtml(handOverLabel)}</summary>
<p>${escapeHtml(handOverText)}</p>${buttons.join('')}</details>`;
}

function noting({ noteLabel, noteFieldLabel, noteConfirmLabel }: Page, token: string): string {
  if (noteLabel === '') return '';
  const field = `<label>${escapeHtml(noteFieldLabel)}<textarea name="text" maxlength="500" rows="3" required dir="auto"></textarea></label>`;
  return `<details class="note"><summary>${escapeHtml(noteLabel)}</summary>
${button(token, 'note', noteConfirmLabel, field)}</details>`;
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
}

/** Closing is for good and for everyone, so it asks once, without a script too. */
function closing({ closeLabel, closeQuestion, closeConfirmLabel, dispositions }: Page, token: string): string {
  if (closeLabel === '') return '';
  const buttons = dispositions.map(({ disposition, label }) =>
    button(token, 'close', label, hidden('disposition', disposition)),
  );
  return `<details class="close"><summary>${escapeHtml(closeLabel)}</summary>
<p>${escapeHtml(closeQuestion)}</p>${buttons.length === 0 ? button(token, 'close', closeConfirmLabel) : buttons.join('')}</details>`;
}

function button(token: string, verb: PageVerb, label: string, fields = ''): string {
  const action = `${encodeURIComponent(token)}/${verb}`;
  return `<form method="post" action="${action}">${fields}<button class="${verb}" dir="auto">${escapeHtml(label)}</button></form>`;
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8');
}

/** Returns what names a text: another one has another name. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
