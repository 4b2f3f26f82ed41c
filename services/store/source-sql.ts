import { MODES } from '../domain/mode.ts';

/* SQL expressions that several statements share about a source `s` with its location `l`. */

/** Live or test (SPEC.md 2 "Test switch"). */
export const ENVIRONMENT = "CASE WHEN s.test OR l.test THEN 'test' ELSE 'live' END";

/** The armed mode after all calls accepted so far, applied or not. */
export const LEADS_TO = '(SELECT g.armed_mode FROM gate g WHERE g.source_seq = s.seq ORDER BY g.id DESC LIMIT 1)';

/** The order of modes `m` (DECISIONS.md "Lists"). */
export const MODE_ORDER = `array_position(ARRAY['${MODES.join("', '")}'], m.id)`;
