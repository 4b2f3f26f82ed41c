/** One thing that doctor checked. */
export interface Check {
  name: string;
  verdict: 'ok' | 'warn' | 'fail';
  /** What was found, as a sentence. */
  found: string;
  /** What to do; empty if nothing. */
  fix: string;
}

export function ok(name: string, found: string): Check {
  return { name, verdict: 'ok', found, fix: '' };
}

export function warn(name: string, found: string, fix: string): Check {
  return { name, verdict: 'warn', found, fix };
}

export function fail(name: string, found: string, fix: string): Check {
  return { name, verdict: 'fail', found, fix };
}
