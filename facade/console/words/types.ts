import type { words as first } from './en/first.ts';
import type { words as rest } from './en/rest.ts';

/** All that the console says: what every screen needs and the first ones say, and what is fetched with any other. */
export interface Words {
  first: typeof first;
  rest: typeof rest;
}
