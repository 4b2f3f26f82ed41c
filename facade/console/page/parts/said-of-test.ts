import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { words } from '../words.ts';
import { dayAndClockIn, zones } from './time.tsx';

/** Says until when something is in test, or that it is not live yet (DECISIONS.md "A test ends"). */
export function saidOfTest(until: Timestamp | undefined): string {
  const say = words().states;
  return until === undefined ? say.notLiveYet : say.testUntil(dayAndClockIn(timestampDate(until), zones().account));
}
