import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { InvalidFieldsSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import { shown } from '../process/text.ts';
import { isId } from '../store/id.ts';
import { say } from './reader.ts';

/** One wrong field of a request: its proto JSON path, and a sentence. */
export interface FieldFault {
  field: string;
  problem: string;
}

/** Makes an INVALID_ARGUMENT of all wrong fields. The message repeats them for clients that ignore details. */
export function invalidFields(fields: readonly FieldFault[]): ConnectError {
  const sentences = fields.map(({ field, problem }) => (field === '' ? problem : `${field} ${problem}`));
  const details = [{ desc: InvalidFieldsSchema, value: { fields: [...fields] } }];
  return new ConnectError(sentences.join(' '), Code.InvalidArgument, undefined, details);
}

/** Makes an INVALID_ARGUMENT for one field: its proto JSON name, what it takes and what it got. */
export function invalidField(field: string, accepted: string, got: unknown): ConnectError {
  return invalidFields([{ field, problem: mismatchOf(accepted, got) }]);
}

/** Says that a value is not what its field accepts, in the language of who reads it. */
export function mismatchOf(accepted: string, got: unknown): string {
  const { mismatch, nothing } = say().accepts;
  return mismatch(accepted, got === undefined ? nothing : shown(got));
}

/** Reads an identifier as a filter on `column`: an empty one filters nothing. Throws INVALID_ARGUMENT. */
export function idFilter<Field extends string>(
  field: string,
  column: Field,
  id: string,
): Partial<Record<Field, string>> {
  if (id === '') return {};
  if (!isId(id)) throw invalidField(field, say().accepts.id, id);
  return { [column]: id } as Partial<Record<Field, string>>;
}

/** Reads a closed word as a filter: an empty one filters nothing. Throws INVALID_ARGUMENT. */
export function wordFilter<Word extends string>(field: string, word: string, words: readonly Word[]): Word | null {
  if (word === '') return null;
  const known = words.find(one => one === word);
  if (known !== undefined) return known;
  throw invalidField(field, say().accepts.oneOfOrNothing(words), word);
}

/** The years that a timestamp may name: 1 to 9999. In seconds since 1970. */
const TIMES = { first: -62_135_596_800, last: 253_402_300_799 } as const;

/** Tells whether a number of seconds since 1970 is a time that a timestamp may name, and the database reads. */
export function isTime(seconds: number): boolean {
  return seconds >= TIMES.first && seconds <= TIMES.last;
}

/** Reads a time as a filter; null where it is absent. Throws INVALID_ARGUMENT. */
export function timeFilter(field: string, time: Timestamp | undefined): Date | null {
  if (time === undefined) return null;
  const seconds = Number(time.seconds);
  const fits = isTime(seconds) && time.nanos >= 0 && time.nanos < 1e9;
  if (!fits) throw invalidField(field, say().accepts.timeOfYears, `${time.seconds} s`);
  return new Date(seconds * 1000 + Math.floor(time.nanos / 1e6));
}
