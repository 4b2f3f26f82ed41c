import type { Day } from '../../../../gen/tocsin/console/v1/days_pb.ts';
import { spanOf } from '../parts/span.ts';
import { words, wordsOf } from '../words.ts';

const MINUTE_S = 60;

/** Tells whether anything is known of a day: what was before the alarm, or is no longer kept, is not nothing. */
export function isKnown({ known }: Day): boolean {
  return known === 'whole' || known === 'part';
}

/** Says what a day was like, sentence by sentence. */
export function saidOf(day: Day): string[] {
  const say = wordsOf('days');
  if (!isKnown(day)) return [say.notKnown[day.known] ?? say.unknown];
  const armed = day.modes.filter(({ mode }) => mode !== '' && mode !== 'disarmed');
  const unknown = day.modes.find(({ mode }) => mode === '');
  const { liveIncidents: live, testIncidents: test, falseAlarms } = day;
  return [
    say.calls(day.calls, day.moreCalls),
    ...(day.modes.length === 0 || unknown !== undefined || armed.length > 0 ? [] : [say.disarmed]),
    ...(armed.length === 0
      ? []
      : [
          say.armed(
            armed.map(({ mode, seconds }) => say.forSo(words().modes[mode] ?? mode, about(seconds))).join(', '),
          ),
        ]),
    ...(unknown === undefined ? [] : [say.armedUnknown(about(unknown.seconds))]),
    ...(live > 0 ? [say.live(live, falseAlarms)] : []),
    ...(test > 0 ? [say.test(test)] : []),
    ...(day.moreIncidents ? [say.moreIncidents] : []),
    ...(day.silentS > 0 ? [say.silent(about(day.silentS))] : day.moreCalls ? [say.silentUnknown] : []),
    ...(day.known === 'part' ? [say.part] : []),
  ];
}

/** Seconds say nothing in a day. */
function about(seconds: number): string {
  return spanOf(seconds < MINUTE_S ? seconds : Math.round(seconds / MINUTE_S) * MINUTE_S);
}
