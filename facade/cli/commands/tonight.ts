import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  GetTonightResponseSchema,
  type TonightChannel,
  type TonightLine,
  type TonightPerson,
} from '../../../gen/tocsin/console/v1/tonight_pb.ts';
import { clean, mismatch, shown } from '../../../services/process/text.ts';
import { formatDuration } from '../duration.ts';
import { EXIT, usageFault } from '../exit.ts';
import { findingLines } from '../findings.ts';
import { examples } from '../flags.ts';
import type { Act } from '../session.ts';
import { count, time } from '../text.ts';

/** `tocsin tonight`: would somebody be reached, now or at a time to come? It triggers nothing. */
export function addTonight(program: Command, act: Act): void {
  const command = program.command('tonight');
  command
    .option('--at <time>', 'a time to come by your clock: sat 03:00, 03:00 or 2027-01-31T03:00 (now)')
    .option('--strict', 'exits with 1 unless it is fine');
  examples(command, 'tonight', 'tonight --at "sat 03:00" --json').action(
    act(async (session, { at, strict }: { at?: string; strict?: true }) => {
      const answer = await session.rpc.tonight.getTonight(at === undefined ? {} : { at: askedTime(at, new Date()) });
      session.answer(GetTonightResponseSchema, answer, () => [
        session.paint('bold', clean(answer.title)),
        ...(answer.text === '' ? [] : [clean(answer.text)]),
        ...answer.places.flatMap(({ name, lines }) => ['', clean(name), ...lines.flatMap(lineLines)]),
        ...(answer.placesInAll > answer.places.length
          ? ['', `and ${count(answer.placesInAll - answer.places.length, 'more location')}.`]
          : []),
        ...(answer.silent.length === 0 ? [] : ['', 'Silent:']),
        ...answer.silent.map(({ label, since }) => `  ${clean(label)}, since ${time(timestampDate(since!))}`),
        ...(answer.findings.length === 0 ? [] : ['', ...findingLines(session, answer.findings)]),
      ]);
      return strict === true && answer.verdict !== 'fine' ? EXIT.refused : EXIT.ok;
    }),
  );
}

const STANDINGS: Readonly<Record<string, string>> = {
  armed: 'armed',
  if_armed: 'if it were armed',
  always: 'always on',
};

function lineLines({ mode, standing, environment, sources, sourcesInAll, people, windowS }: TonightLine): string[] {
  const more = sourcesInAll > sources.length ? ` and ${sourcesInAll - sources.length} more` : '';
  const facts = [
    ...(mode === '' ? [] : [mode]),
    STANDINGS[standing] ?? standing,
    ...(environment === 'test' ? ['in test'] : []),
    ...(windowS === 0 ? [] : [`window of ${formatDuration(windowS)}`]),
  ];
  const title = `  ${sources.map(name => clean(name)).join(', ')}${more} (${facts.join(', ')}):`;
  return [title, ...(people.length === 0 ? ['    nobody'] : people.map(personLine))];
}

function personLine({ name, afterS, channels, proof, duty }: TonightPerson): string {
  const when = afterS === 0 ? 'at once' : `after ${formatDuration(afterS)}`;
  const as = duty === '' ? '' : ` (on duty as ${clean(duty)})`;
  return `    ${clean(name)}${as} by ${channels.map(({ channel }) => channel).join(', ')} ${when}: ${provenLine(channels, proof)}`;
}

function provenLine(channels: readonly TonightChannel[], proof: string): string {
  const proofs = channels.flatMap(({ channel, provenAt }) => (provenAt === undefined ? [] : [{ channel, provenAt }]));
  if (proofs.length > 0) {
    const said = proofs.map(({ channel, provenAt }) => `${channel} ${time(timestampDate(provenAt)).slice(0, 10)}`);
    return `proven by ${said.join(', ')}`;
  }
  return proof === 'cannot' ? 'nobody can answer over it' : 'never proven';
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Returns the time that `--at` names, by the clock of this machine: the next such one. Throws a usage fault. */
export function askedTime(text: string, now: Date): Timestamp {
  const [, day, hour, minute] = /^(?:([a-z]{3})[a-z]* )?(\d{1,2}):(\d\d)$/i.exec(text.trim()) ?? [];
  const weekday = day === undefined ? undefined : DAYS.indexOf(day.toLowerCase());
  if (hour !== undefined && Number(hour) < 24 && Number(minute) < 60 && weekday !== -1) {
    const at = new Date(now);
    at.setHours(Number(hour), Number(minute), 0, 0);
    while (at <= now || (weekday !== undefined && at.getDay() !== weekday)) at.setDate(at.getDate() + 1);
    return timestampFromDate(at);
  }
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return timestampFromDate(new Date(at));
  throw usageFault(`--at ${mismatch('a time to come such as "sat 03:00", 03:00 or 2027-01-31T03:00', shown(text))}`);
}
