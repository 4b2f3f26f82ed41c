import { randomBytes } from 'node:crypto';

/** How the line to a browser is (origin.ts). */
type Line = 'encrypted' | 'open';

/** The name says that a browser took it over https, for this host alone; over plain http no browser would take that name. */
const NAMES: Readonly<Record<Line, string>> = { encrypted: '__Host-tocsin-session', open: 'tocsin-session' };

/** The shape of a session's secret: nothing else is ever passed on, a console token or an API key least of all. */
const SECRET = /^tcs_[a-z0-9]{36}$/i;

/** The session's secret in a Cookie header; null: none, one of another kind of line, or something else. */
export function sessionIn(header: string | undefined, line: Line): string | null {
  const secret = valueIn(header, NAMES[line]);
  return SECRET.test(secret) ? secret : null;
}

function valueIn(header: string | undefined, name: string): string {
  const found = header
    ?.split(';')
    .map(pair => pair.trim())
    .find(pair => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? '';
}

/** As long as browsers keep one, in seconds: when a session ends is for the services to say, and each use puts it off. */
const KEPT_S = 400 * 24 * 3_600;

/** Set-Cookie for a session; scripts never see it, and no other site sends it along. */
export function sessionCookie(secret: string, line: Line): string {
  return writeCookie(secret, line, KEPT_S);
}

/** Set-Cookie that takes the session away. */
export function noSessionCookie(line: Line): string {
  return writeCookie('', line, 0);
}

function writeCookie(value: string, line: Line, keptS: number): string {
  return cookie(NAMES, value, { line, sameSite: 'Strict', keptS });
}

function cookie(
  names: Readonly<Record<Line, string>>,
  value: string,
  { line, sameSite, keptS }: { line: Line; sameSite: 'Strict' | 'Lax'; keptS: number },
): string {
  const secure = line === 'encrypted' ? '; Secure' : '';
  return `${names[line]}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${keptS}${secure}`;
}

/** Of the browser itself, for the sign-ins to come: it stays when a session ends. */
const BROWSER_NAMES: Readonly<Record<Line, string>> = { encrypted: '__Host-tocsin-browser', open: 'tocsin-browser' };

const BROWSER = /^[a-z0-9]{32}(\.[\w-]{43})?$/;

/** What the services know a browser by, in a Cookie header; null: it has not asked for a code here. */
export function browserIn(header: string | undefined, line: Line): string | null {
  const browser = valueIn(header, BROWSER_NAMES[line]);
  return BROWSER.test(browser) ? browser : null;
}

/** Returns an id for a browser that has none. */
export function newBrowser(): string {
  return randomBytes(16).toString('hex');
}

/** Set-Cookie for what the services know a browser by. */
export function browserCookie(browser: string, line: Line): string {
  return cookie(BROWSER_NAMES, browser, { line, sameSite: 'Strict', keptS: KEPT_S });
}

/** Of a sign-in that is under way at the identity provider. */
const FLOW_NAMES: Readonly<Record<Line, string>> = { encrypted: '__Host-tocsin-sign-in', open: 'tocsin-sign-in' };

const FLOW = /^(?<state>v1(?:\.[\w-]+)+)(?:~(?<to>[\w-]+))?$/;

/** How long people may take at the identity provider, in seconds. */
const FLOW_S = 600;

/** A sign-in that is under way. */
export interface Flow {
  /** What the services need to complete it. */
  state: string;
  /** The screen that was wanted, from the top. Empty: the first one. */
  to: string;
}

/** The sign-in of a Cookie header; null: none is under way in this browser. */
export function flowIn(header: string | undefined, line: Line): Flow | null {
  const { state, to = '' } = FLOW.exec(valueIn(header, FLOW_NAMES[line]))?.groups ?? {};
  return state === undefined ? null : { state, to: Buffer.from(to, 'base64url').toString() };
}

/** Set-Cookie for a sign-in. Lax: the browser comes back from another site. */
export function flowCookie({ state, to }: Flow, line: Line): string {
  const value = to === '' ? state : `${state}~${Buffer.from(to).toString('base64url')}`;
  return cookie(FLOW_NAMES, value, { line, sameSite: 'Lax', keptS: FLOW_S });
}

/** Set-Cookie that takes it away. */
export function noFlowCookie(line: Line): string {
  return cookie(FLOW_NAMES, '', { line, sameSite: 'Lax', keptS: 0 });
}
