import type { Incident } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { clean } from '../../services/process/text.ts';

/** How an incident is named on the command line. */
export const NAMED = 'id of an incident, or id or key of an alarm or panic button';

/** Says which incident it is, in a few words. */
export function brief({ sourceName, id }: Incident): string {
  return `${clean(sourceName)}, incident ${id}`;
}
