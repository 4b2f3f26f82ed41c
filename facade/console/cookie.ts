/** How the line to a browser is (origin.ts). */
type Line = 'encrypted' | 'open';

/** The name says that a browser took it over https, for this host alone; over plain http no browser would take that name. */
const NAMES: Readonly<Record<Line, string>> = { encrypted: '__Host-tocsin-session', open: 'tocsin-session' };

/** The shape of a session's secret: nothing else is ever passed on, a console token or an API key least of all. */
const SECRET = /^tcs_[a-z0-9]{36}$/i;

/** The session's secret in a Cookie header; null: none, one of another kind of line, or something else. */
export function sessionIn(header: string | undefined, line: Line): string | null {
  const prefix = `${NAMES[line]}=`;
  const found = header
    ?.split(';')
    .map(pair => pair.trim())
    .find(pair => pair.startsWith(prefix));
  const secret = found?.slice(prefix.length) ?? '';
  return SECRET.test(secret) ? secret : null;
}

/** As long as browsers keep one, in seconds: when a session ends is for the services to say, and each use puts it off. */
const KEPT_S = 400 * 24 * 3_600;

/** Set-Cookie for a session; scripts never see it, and no other site sends it along. */
export function sessionCookie(secret: string, line: Line): string {
  return written(secret, line, KEPT_S);
}

/** Set-Cookie that takes the session away. */
export function noSessionCookie(line: Line): string {
  return written('', line, 0);
}

function written(value: string, line: Line, keptS: number): string {
  const secure = line === 'encrypted' ? '; Secure' : '';
  return `${NAMES[line]}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${keptS}${secure}`;
}
