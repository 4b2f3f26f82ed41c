import { Code, ConnectError } from '@connectrpc/connect';
import type { Page } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { en } from '../../services/words/en.ts';
import { LANGUAGES } from '../../services/words/languages.ts';
import { type Answer, JSON_HEADERS } from '../answer.ts';
import { noticeHtml, pageHtml, STYLE_HASH } from './html.ts';

const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src '${STYLE_HASH}'`,
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of every answer below /i: the path is a secret, which no other site, no search engine and no cache may learn. */
const PRIVATE_HEADERS = {
  ...JSON_HEADERS,
  'content-security-policy': CONTENT_POLICY,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

const HTML_HEADERS = { ...PRIVATE_HEADERS, 'content-type': 'text/html; charset=utf-8' };

/** How an answer is wanted: by a browser, or by a program such as the button of a push message. */
export type Wanted = 'html' | 'json';

/** What a call of the page is asked with; `path` as it came, without query. */
export interface Asked {
  token: string;
  path: string;
  wanted: Wanted;
}

export function pageAnswer(page: Page, token: string): Answer {
  return { status: 200, headers: HTML_HEADERS, body: pageHtml(page, token) };
}

/** What an action at `path` came to; a browser is sent to the page, so that asking anew never acts anew. */
export function outcomeAnswer(outcome: string, { token, path, wanted }: Asked): Answer {
  if (wanted === 'html') return toPage({ token, path });
  return { status: 200, headers: PRIVATE_HEADERS, body: JSON.stringify({ outcome }) };
}

/** Sends a browser to the page of a link, by a relative URL as those on the page are (html.ts). */
export function toPage({ token, path }: Pick<Asked, 'token' | 'path'>): Answer {
  const isBelowVerb = /\/(acknowledge|close)\/+$/.test(path);
  const location = `${isBelowVerb ? '../../' : '../'}${encodeURIComponent(token)}`;
  return { status: 303, headers: { ...HTML_HEADERS, location }, body: '' };
}

/** The answer to a call that the services refused or could not carry out. One and the same for every token that opens nothing. */
export function faultAnswer(fault: unknown, wanted: Wanted): Answer {
  const { code } = ConnectError.from(fault);
  if (code === Code.NotFound) return NOT_FOUND[wanted];
  return AWAY.has(code) ? TRY_AGAIN[wanted] : OUR_FAULT[wanted];
}

/** What means that the same call may succeed in a moment. */
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

/** One sentence, on a page in all languages, and in English to programs. */
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
