import type { Document, Noun, NounKind } from './noun.ts';
import { alarm } from './nouns/alarm.ts';
import { apiKey } from './nouns/api-key.ts';
import { contact } from './nouns/contact.ts';
import { location } from './nouns/location.ts';
import { panicButton } from './nouns/panic-button.ts';
import { policy } from './nouns/policy.ts';

/** All nouns with one change path. What is named stands before what names it. */
export const NOUNS = { location, contact, policy, alarm, panic_button: panicButton, api_key: apiKey } as const;

/** A noun by its kind, where it does not matter which. */
export function nounOf(kind: NounKind): Noun<Document> {
  return NOUNS[kind] as unknown as Noun<Document>;
}
