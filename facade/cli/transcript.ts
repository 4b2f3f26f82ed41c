import type { RehearseResponse } from '../../gen/tocsin/console/v1/drills_pb.ts';
import { clean } from '../../services/process/text.ts';
import { formatDuration } from './duration.ts';

/** Formats the result of a rehearsal. `after`: the state of its incident after the transcript. */
export function transcriptLines({ lines, call, incident }: RehearseResponse, after: 'closed' | 'open'): string[] {
  const told = lines.map(({ afterS, text }) => `  +${formatDuration(afterS).padEnd(8)} ${clean(text)}`);
  const opened = incident?.incident;
  const stays = after === 'open' ? 'stays open' : 'is closed again';
  const end = opened === undefined ? 'No incident opened.' : `Nobody was alerted. The incident ${opened.id} ${stays}.`;
  return ['Rehearsed:', ...told, end, `What became of the trigger: tocsin calls find ${call?.call?.traceId ?? ''}`];
}
