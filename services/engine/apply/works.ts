import { KEEP_ALL, type Kept } from '../../limits/kept.ts';
import { inSavepoint } from '../../store/statement.ts';
import { type Decided, decideWork, type PlanOn, type Work } from './decided.ts';
import { failed, faultOf } from './failing.ts';
import { isUrgent } from './ready.ts';
import { type WriteOn, type Written, writeDecided } from './write-decided.ts';

/** How sources are applied in one transaction. */
export interface ApplyTurn {
  budget: MessageBudget;
  /** Actions that open an incident of more messages than this are left for the queue. */
  heaviest: number;
  /** `apart`: each source by itself, to find the one that cannot be written. */
  how: 'together' | 'apart';
}

/** The result of applying. */
export interface AppliedWorks extends Written {
  /** Sources with a timer left unapplied, because the incident it opens is too heavy. */
  heavy: number[];
  /** Sources that could not be applied, and until when they rest, in milliseconds since 1970. */
  resting: Map<number, number>;
}

/**
 * Decides and writes what is ready, each account within its share. A source that fails waits (failing.ts); the others
 * go on. Throws database faults.
 */
export async function applyWorks(on: WriteOn, works: readonly Work[], applying: ApplyTurn): Promise<AppliedWorks> {
  const decided: Decided[] = [];
  const faults: { work: Work; error: unknown }[] = [];
  const heavy: number[] = [];
  for (const work of works) {
    const { accountId, seq } = work.row;
    try {
      const one = decideInTurn(work, on, applying.budget.left(accountId));
      if (one.decision.deliveries.length > applying.heaviest) {
        if (work.ready.length === 0) heavy.push(seq);
        else decided.push(undecided(work));
        continue;
      }
      applying.budget.take(accountId, one.decision.deliveries.length);
      decided.push(one);
    } catch (error) {
      faults.push({ work, error });
    }
  }
  const written =
    applying.how === 'together' ? [await writeDecided(on, decided)] : await writeApart(on, decided, faults);
  const resting = new Map<number, number>();
  for (const { work, error } of faults) {
    const end = await failed(on, work, error);
    if (end.became === 'waits') resting.set(work.row.seq, end.until);
    else written.push(end);
  }
  return {
    changed: written.flatMap(({ changed }) => changed),
    seen: written.flatMap(({ seen }) => seen),
    scheduled: written.flatMap(({ scheduled }) => scheduled),
    notices: written.some(({ notices }) => notices === 'some') ? 'some' : 'none',
    left: written.some(({ left }) => left === 'some') ? 'some' : 'none',
    counted: written.flatMap(({ counted }) => counted),
    messages: written.reduce((sum, { messages }) => sum + messages, 0),
    applied: written.flatMap(({ applied }) => applied),
    windowsLateMs: written.flatMap(({ windowsLateMs }) => windowsLateMs),
    heavy,
    resting,
  };
}

/** An acknowledge or close does not wait for another turn. */
function decideInTurn(work: Work, on: PlanOn, mostMessages: number): Decided {
  const inOrder = decideWork(work, on, mostMessages);
  if (work.peopleFirst === undefined || !inOrder.left.some(isUrgent)) return inOrder;
  return decideWork({ ...work, ready: work.peopleFirst }, on, mostMessages);
}

/** All of it has to wait: nothing was applied, and no timer fired. */
function undecided(work: Work): Decided {
  const on: PlanOn = { policyOf: () => undefined, carriers: [], kept: KEEP_ALL };
  const nothing = decideWork({ ...work, ready: [], upTo: Number.NEGATIVE_INFINITY }, on, 0);
  return { ...nothing, ready: work.ready, left: work.ready };
}

/**
 * Writes each source in a savepoint of its own and restores the folds on failure, so that a failing one leaves nothing
 * behind.
 */
async function writeApart(
  on: WriteOn,
  decided: readonly Decided[],
  faults: { work: Work; error: unknown }[],
): Promise<Written[]> {
  const written: Written[] = [];
  for (const one of decided) {
    const folds = { ...on.folds };
    try {
      written.push(await inSavepoint(on.client, () => writeDecided({ ...on, folds }, [one])));
      for (const key of Object.keys(on.folds)) delete on.folds[key];
      Object.assign(on.folds, folds);
    } catch (error) {
      if (faultOf(error) === 'database') throw error;
      faults.push({ work: one, error });
    }
  }
  return written;
}

/**
 * What one transaction may plan for each account. Counted in messages, because they are the cost: an incident plans up
 * to some hundred, a call that folds none.
 */
export interface MessageBudget {
  /** How many messages an account may still plan. */
  left(accountId: string): number;
  take(accountId: string, messages: number): void;
}

/** `all`: how many messages one transaction plans for all accounts; `ofAccount`: for each. What is planned counts in `kept`. */
export function createMessageBudget(all: number, ofAccount: number, kept: Kept): MessageBudget {
  const taken = new Map<string, number>();
  let left = all;
  return {
    left: accountId => Math.max(0, Math.min(ofAccount - (taken.get(accountId) ?? 0), left)),
    take(accountId, messages) {
      taken.set(accountId, (taken.get(accountId) ?? 0) + messages);
      left -= messages;
      if (messages > 0) kept.take(accountId, 'messages', messages);
    },
  };
}
