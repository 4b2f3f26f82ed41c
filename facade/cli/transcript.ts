import type { RehearseResponse } from '../../gen/tocsin/console/v1/drills_pb.ts';
import { formatDuration } from './duration.ts';
import { clean } from './text.ts';

/** What a rehearsal came to, for people. */
export function transcriptLines({ lines, call, incident }: RehearseResponse): string[] {
  const told = lines.map(({ afterS, text }) => `  +${formatDuration(afterS).padEnd(8)} ${clean(text)}`);
  const opened = incident?.incident;
  const end =
    opened === undefined ? 'No incident opened.' : `Incident ${opened.id}: ${opened.status}. Nobody was alerted.`;
  return ['Rehearsed:', ...told, end, `What became of the trigger: tocsin calls find ${call?.call?.traceId ?? ''}`];
}
