import { Code, ConnectError } from '@connectrpc/connect';
import type { Page } from '../../gen/tocsin/incident/v1/page_pb.ts';
import { en } from '../../services/words/en.ts';
import { LANGUAGES } from '../../services/words/languages.ts';
import { type Answer, JSON_HEADERS } from '../answer.ts';
import { FACE_POLICY } from '../face.ts';
import { noticeHtml, pageHtml, STYLE_HASH } from './html.ts';
import { PAGE_VERBS } from './verbs.ts';

const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src '${STYLE_HASH}'`,
  "script-src 'self'",
  "connect-src 'self'",
  FACE_POLICY,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every answer below /i: the path is a secret that no other site, search engine or cache may learn. */
const PRIVATE_HEADERS = {
  ...JSON_HEADERS,
  'content-security-policy': CONTENT_POLICY,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

export const HTML_HEADERS = { ...PRIVATE_HEADERS, 'content-type': 'text/html; charset=utf-8' };

const BELOW_VERB = new RegExp(`/(${PAGE_VERBS.join('|')})/+$`);

/** What the page does not show by itself is said there. */
const SPOKEN_OF = /\/(next|hand-over|decline|note)\/*$/;

/** The format wanted: by a browser, or by a program such as the button of a push message. */
export type Wanted = 'html' | 'json';

/** A request of the page; `path` as received, without query. */
export interface Asked {
  token: string;
  path: string;
  wanted: Wanted;
  /** A field of the form; empty if it has none. */
  form(name: string): string;
  /** The outcome that the page is to speak of; empty: none. */
  said: string;
}

export function pageAnswer(page: Page, token: string): Answer {
  return { status: 200, headers: HTML_HEADERS, body: pageHtml(page, token) };
}

/**
 * Answers an action at `path` with its outcome; a browser is redirected to the page, so that reloading never repeats
 * the action.
 */
export function outcomeAnswer(outcome: string, { token, path, wanted }: Asked): Answer {
  if (wanted === 'html') return toPage({ token, path, said: SPOKEN_OF.test(path) ? outcome : '' });
  return { status: 200, headers: PRIVATE_HEADERS, body: JSON.stringify({ outcome }) };
}

/** Redirects a browser to the page of a link, with a relative URL like those on the page (html.ts). */
export function toPage({ token, path, said = '' }: Pick<Asked, 'token' | 'path'> & { said?: string }): Answer {
  const query = said === '' ? '' : `?said=${encodeURIComponent(said)}`;
  const location = `${BELOW_VERB.test(path) ? '../../' : '../'}${encodeURIComponent(token)}${query}`;
  return { status: 303, headers: { ...HTML_HEADERS, location }, body: '' };
}

/** Answers a call that the services refused or could not carry out. The same for every token that is not valid. */
export function faultAnswer(fault: unknown, wanted: Wanted): Answer {
  const { code } = ConnectError.from(fault);
  if (code === Code.NotFound) return NOT_FOUND[wanted];
  return AWAY.has(code) ? TRY_AGAIN[wanted] : OUR_FAULT[wanted];
}

/** The errors after which the same call may succeed in a moment. */
const AWAY: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.ResourceExhausted,
  Code.Aborted,
  Code.Canceled,
]);

const NOT_FOUND = answersOf(404, 'noSuchPage');

export const TRY_AGAIN = answersOf(503, 'tryAgain', { 'retry-after': '2' });

const OUR_FAULT = answersOf(500, 'ourFault');

/** Returns a sentence on a page in all languages, and in English for programs. */
function answersOf(
  status: number,
  said: 'noSuchPage' | 'tryAgain' | 'ourFault',
  more: Record<string, string> = {},
): Record<Wanted, Answer> {
  const sentences = LANGUAGES.map(({ language, page }) => ({ language, text: page[said] }));
  return {
    html: { status, headers: { ...HTML_HEADERS, ...more }, body: noticeHtml(sentences) },
    json: { status, headers: { ...PRIVATE_HEADERS, ...more }, body: JSON.stringify({ message: en.page[said] }) },
  };
}
