import type { Thing } from '../types.ts';

/** The names of things within a sentence. */
export const THINGS: Readonly<Record<Thing, string>> = {
  account: 'account',
  alarm: 'alarm',
  api_key: 'API key',
  contact: 'contact',
  incident: 'incident',
  location: 'location',
  member: 'member',
  panic_button: 'panic button',
  policy: 'policy',
  source: 'alarm or panic button',
  token: 'token',
};

/** Returns the name of a thing with its article. */
export function aThing(thing: Thing): string {
  return `${/^[aA]/.test(THINGS[thing]) ? 'an' : 'a'} ${THINGS[thing]}`;
}
