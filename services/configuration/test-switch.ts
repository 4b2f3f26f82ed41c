import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type TestSwitch, testEnd } from '../domain/test-end.ts';
import { chosenText, chosenTime } from '../process/wall-clock.ts';
import { timeText } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { mismatchOf } from './errors.ts';
import { switchOr, timeOrNever } from './fields.ts';
import { orAbsent } from './messages.ts';
import type { Resource } from './resource.ts';

/** The test switch of a document. `testUntil`: ISO text; empty: when its owner lets it go live. */
export interface Tested {
  test: boolean;
  testUntil: string;
}

/** The fields of a test switch (DECISIONS.md "A test ends"). `test`: how it begins. */
export function testFields(test: boolean) {
  return { test: switchOr(test), testUntil: timeOrNever };
}

/** Returns the end that a request gives; undefined if it gives none. */
export function givenUntil(
  { testUntil, testForS }: { testUntil?: Timestamp | undefined; testForS: number },
  now: Date,
): string | undefined {
  return testForS === 0 ? orAbsent(timeText(testUntil)) : chosenText(new Date(now.getTime() + testForS * 1000));
}

/** Returns a stored switch as its owner set it. */
export function testOf(row: { test: boolean; testUntil?: Date | null | undefined }): Tested {
  return { test: row.test, testUntil: row.test && row.testUntil ? chosenText(row.testUntil) : '' };
}

/** Returns a switch as it is stored. */
export function testRow({ test, testUntil }: Tested): { test: boolean; testUntil: Date | null } {
  return { test, testUntil: testUntil === '' ? null : chosenTime(testUntil) };
}

/**
 * Gives a test its end. In a request an end that has passed is refused. A file may be applied again long after: there the
 * test is over, as it is where it was applied in time.
 */
export const settleTest: NonNullable<Resource<Tested & { key: string }>['settle']> = (doc, before, { now, from }) => {
  const end = testEnd(before && switchOf(before), switchOf(doc), now.getTime());
  if (end === 'too_far' || (end === 'passed' && from === 'request')) {
    return [{ field: 'testUntil', problem: mismatchOf(say().accepts.testUntil, doc.testUntil) }];
  }
  doc.test = doc.test && end !== 'passed';
  doc.testUntil = end === null || end === 'passed' ? '' : chosenText(new Date(end));
  return [];
};

function switchOf({ test, testUntil }: Tested): TestSwitch {
  return { test, until: testUntil === '' ? null : chosenTime(testUntil).getTime() };
}
