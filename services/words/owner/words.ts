import type { accepts } from './en/accepts.ts';
import type { calls } from './en/calls.ts';
import type { changes } from './en/changes.ts';
import type { codes } from './en/codes.ts';
import type { deliveries } from './en/deliveries.ts';
import type { drills } from './en/drills.ts';
import type { faults } from './en/faults.ts';
import type { file } from './en/file.ts';
import type { findings } from './en/findings.ts';
import type { members } from './en/members.ts';
import type { notices } from './en/notices.ts';
import type { refusals } from './en/refusals.ts';
import type { rehearsals } from './en/rehearsals.ts';

/** All that owners and members are told in one language: in mails to them, and by the services in the console. */
export interface OwnerWords {
  accepts: typeof accepts;
  calls: typeof calls;
  changes: typeof changes;
  codes: typeof codes;
  deliveries: typeof deliveries;
  drills: typeof drills;
  faults: typeof faults;
  file: typeof file;
  findings: typeof findings;
  members: typeof members;
  notices: typeof notices;
  refusals: typeof refusals;
  rehearsals: typeof rehearsals;
}
