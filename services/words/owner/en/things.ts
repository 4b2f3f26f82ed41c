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

/** The same as the beginning of a sentence about several. */
export const KINDS: Readonly<Record<string, string>> = {
  alarm: 'Alarms',
  api_key: 'API keys',
  contact: 'People',
  location: 'Locations',
  panic_button: 'Panic buttons',
  policy: 'Policies',
  token: 'Console tokens',
};

/** Returns the name of a thing with its article. */
export function aThing(thing: Thing): string {
  return `${/^[aA]/.test(THINGS[thing]) ? 'an' : 'a'} ${THINGS[thing]}`;
}
