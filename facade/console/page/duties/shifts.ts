import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty, DutyShift, OnDutyResponse } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { useQuery } from '../live/use-query.ts';
import { momentIn } from '../parts/days.ts';
import { canBeReached } from '../people/reach.ts';
import { READ } from '../rpc/rpc.ts';
import { duties } from '../rpc/rpc-policies.ts';
import { isSameOnDuty } from './say.ts';

/** Who may have taken over is looked for over so many changes of a duty's hours. */
const CHANGES_MOST = 6;

/** Returns a duty, as it is now. */
export function useDuty(id: string) {
  return useQuery(`duty ${id}`, async () => (await duties.getDuty({ dutyId: id }, READ)).duty!);
}

/** Who is on duty, and who is next. */
export interface NowAndNext {
  now: OnDutyResponse;
  /** Absent: nobody else within the next changes of its hours. */
  next?: OnDutyResponse;
  /** When the next one comes on duty. */
  at?: Date;
}

/** Returns who is on a duty now, and who comes next. */
export function useNowAndNext({ id, version }: Pick<Duty, 'id' | 'version'>) {
  return useQuery(`on duty ${id}`, () => readNowAndNext(id), version, 'slow');
}

async function readNowAndNext(dutyId: string): Promise<NowAndNext> {
  const now = await duties.onDuty({ dutyId }, READ);
  let at = now.until;
  for (let looked = 0; at !== undefined && looked < CHANGES_MOST; looked++) {
    const next = await duties.onDuty({ dutyId, at }, READ);
    if (!isSameOnDuty(now, next)) return { now, next, at: timestampDate(at) };
    at = next.until;
  }
  return { now };
}

/** Returns the shifts of so many days, from now on or from the beginning of a day. */
export function useShifts({ id, version }: Pick<Duty, 'id' | 'version'>, days: number, from?: Date) {
  return useQuery(
    `shifts ${id} ${days} ${from?.toISOString() ?? ''}`,
    async () => {
      const at = from === undefined ? {} : { from: timestampFromDate(from) };
      return (await duties.listShifts({ dutyId: id, days, ...at }, READ)).shifts;
    },
    version,
  );
}

/** Tells whether somebody who is on duty then can be reached. */
export function isReached({ contacts }: Pick<DutyShift, 'contacts'>, people: readonly Contact[]): boolean {
  return contacts.some(({ contactId }) => {
    const person = people.find(({ id }) => id === contactId);
    return person === undefined || canBeReached(person);
  });
}

/** The part of a shift on one day. */
export interface Piece {
  shift: DutyShift;
  /** Whether it is the first part of its shift that is shown, and the last. */
  begins: boolean;
  ends: boolean;
  /** How long, in minutes. */
  minutes: number;
}

/** Returns the parts of shifts that are on a day, in their order. */
export function piecesOn(day: string, next: string, shifts: readonly DutyShift[], zone: string): Piece[] {
  const [start, end] = [day, next].map(one => momentIn(`${one}T00:00`, zone).getTime()) as [number, number];
  return shifts.flatMap(shift => {
    const from = shift.from === undefined ? start : timestampDate(shift.from).getTime();
    const until = shift.until === undefined ? end : timestampDate(shift.until).getTime();
    const [first, last] = [Math.max(start, from), Math.min(end, until)];
    if (first >= last) return [];
    return [
      {
        shift,
        begins: from >= start,
        ends: shift.until !== undefined && until <= end,
        minutes: (last - first) / 60_000,
      },
    ];
  });
}
