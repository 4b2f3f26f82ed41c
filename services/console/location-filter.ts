import type { HandlerContext } from '@connectrpc/connect';
import { type ConsoleOn, reading, readOnOf } from './console.ts';
import { noSuchThing } from './no-such.ts';
import { readOne } from './read.ts';
import { location } from './resources/location.ts';

/** The id of the location that a list is narrowed to, by id or key; empty: not narrowed. Throws NOT_FOUND. */
export function locationIdOf(on: ConsoleOn, named: string, context: HandlerContext): Promise<string> {
  if (named === '') return Promise.resolve('');
  return reading(on, context, async ({ accountId }) => {
    const from = readOnOf(on, accountId);
    const found = await readOne(from, location, named);
    if (found === null) throw await noSuchThing(from, location, named);
    return found.id;
  });
}
