import type { OwnerWords } from '../words.ts';
import { accepts } from './accepts.ts';
import { calls } from './calls.ts';
import { changes } from './changes.ts';
import { codes } from './codes.ts';
import { deliveries } from './deliveries.ts';
import { drills } from './drills.ts';
import { faults } from './faults.ts';
import { file } from './file.ts';
import { findings } from './findings.ts';
import { members } from './members.ts';
import { notices } from './notices.ts';
import { refusals } from './refusals.ts';
import { rehearsals } from './rehearsals.ts';

/** All that owners are told in this language. */
export const owner: OwnerWords = {
  accepts,
  calls,
  changes,
  codes,
  deliveries,
  drills,
  faults,
  file,
  findings,
  members,
  notices,
  refusals,
  rehearsals,
};
