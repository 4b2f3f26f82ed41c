import type { words as first } from './en/first.ts';
import type { words as preview } from './en/preview.ts';
import type { words as signIn } from './en/sign-in.ts';

/** All that the console says, in parts that are fetched with the screens that say it: every language says all of it. */
export interface Words {
  first: typeof first;
  preview: typeof preview;
  signIn: typeof signIn;
}
