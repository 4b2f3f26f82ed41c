import type { Call, Fault } from '../history.ts';

/** What a test writes down while it calls and breaks things. */
export interface Recording {
  readonly calls: readonly Call[];
  readonly faults: readonly Fault[];
  /** Makes a call and writes down what its caller saw; what it throws is thrown on. */
  call<Answer extends { status: number; traceId: string }>(what: Called, make: () => Promise<Answer>): Promise<Answer>;
  /** Writes down that something broke now; the function given says that it is whole again. Until then it is broken. */
  broken(what: string, inFlight?: readonly string[]): () => void;
  /** When it began, by the clock of the record. */
  readonly since: number;
}

/** What is called, and whose it is. */
export type Called = Pick<Call, 'accountId' | 'sourceId' | 'action'> & Pick<Partial<Call>, 'environments'>;

/** Whether an answer promises that nothing was stored, or that it was. Others leave it open. */
const isAnswer = (status: number) => status < 500;

/** Starts writing down, by the clock of this process. */
export function startRecord(): Recording {
  const calls: Call[] = [];
  const faults: Fault[] = [];
  return {
    calls,
    faults,
    since: performance.now(),
    async call(what, make) {
      const began = performance.now();
      let answer: { status: number; traceId: string } | null = null;
      try {
        const made = await make();
        answer = made;
        return made;
      } finally {
        const status = answer !== null && isAnswer(answer.status) ? answer.status : 'unknown';
        calls.push({ ...what, began, answered: performance.now(), status, traceId: answer?.traceId ?? null });
      }
    },
    broken(what, inFlight) {
      const fault = { what, from: performance.now(), until: Number.POSITIVE_INFINITY, inFlight: inFlight ?? null };
      faults.push(fault);
      return () => {
        fault.until = Math.min(fault.until, performance.now());
      };
    },
  };
}

/** What a path after /v1/ calls: `alarm/ID/arm/night`. */
export function calledBy(path: string, accountId: string): Called {
  const [, sourceId = '', ...action] = path.split('/');
  return { accountId, sourceId, action: action.join('/') };
}
