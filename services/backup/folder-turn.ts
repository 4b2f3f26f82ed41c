import { inTime } from '../process/in-time.ts';
import { StartError } from '../process/start-errors.ts';

/** How long work in a folder may take, in milliseconds: a share of the network may hang. */
const ANSWER_MS = 5_000;

/** How many folders may hang at once: each holds one of the four threads on which host names are looked up too. */
const HANGING_MOST = 2;

/** Work in a folder that has not ended. */
interface UnderWay {
  folder: string;
  is: 'in_time' | 'late';
  /** Resolves when it ends or is late. */
  told: Promise<void>;
}

const underWay = new Set<UnderWay>();

/**
 * Works in a folder for backups, for so long as that may take, and after what is under way there. Throws StartError, which says why as in
 * "folder /backups: …": at once for a folder in which earlier work still hangs, or where others hang.
 */
export async function inTurn<T>(folder: string, work: () => Promise<T>): Promise<T> {
  for (let before = inTheWay(folder); before.length > 0; before = inTheWay(folder)) {
    const ending = before.filter(({ is }) => is === 'in_time');
    if (ending.length === 0) throw before.some(one => one.folder === folder) ? silent() : othersHang();
    await Promise.race(ending.map(({ told }) => told));
  }
  const mine: UnderWay = { folder, is: 'in_time', told: Promise.resolve() };
  underWay.add(mine);
  const answer = work().finally(() => underWay.delete(mine));
  const timely = Promise.resolve(
    inTime(answer, ANSWER_MS, () => {
      mine.is = 'late';
      return silent();
    }),
  );
  mine.told = timely.then(ignored, ignored);
  return timely;
}

function ignored(): void {}

function inTheWay(folder: string): UnderWay[] {
  const same = [...underWay].filter(one => one.folder === folder);
  if (same.length > 0) return same;
  return underWay.size < HANGING_MOST ? [] : [...underWay];
}

function silent(): StartError {
  return new StartError(`it does not answer within ${ANSWER_MS / 1_000} s`);
}

function othersHang(): StartError {
  return new StartError('other folders do not answer, and until one does no further one is tried');
}
