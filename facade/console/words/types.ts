import type { words as alarms } from './en/alarms.ts';
import type { words as findings } from './en/findings.ts';
import type { words as first } from './en/first.ts';
import type { words as health } from './en/health.ts';
import type { words as keys } from './en/keys.ts';
import type { words as notices } from './en/notices.ts';
import type { words as operator } from './en/operator.ts';
import type { words as people } from './en/people.ts';
import type { words as policies } from './en/policies.ts';
import type { words as preview } from './en/preview.ts';
import type { words as recipes } from './en/recipes.ts';
import type { words as settings } from './en/settings.ts';
import type { words as signIn } from './en/sign-in.ts';
import type { words as start } from './en/start.ts';

/** All that the console says, in parts that are fetched with the screens that say it: every language says all of it. */
export interface Words {
  alarms: typeof alarms;
  findings: typeof findings;
  first: typeof first;
  keys: typeof keys;
  people: typeof people;
  policies: typeof policies;
  preview: typeof preview;
  health: typeof health;
  notices: typeof notices;
  operator: typeof operator;
  settings: typeof settings;
  recipes: typeof recipes;
  signIn: typeof signIn;
  start: typeof start;
}
