import type { Call, Invariant, Logged } from './types.ts';

/* What became of calls, against what their callers were told. */

/** The rows of calls that were applied, by trace. */
function appliedIn(logged: readonly Logged[]): Map<string, Logged[]> {
  return Map.groupBy(
    logged.filter(({ appliedAt, outcome }) => appliedAt !== null && outcome !== null),
    ({ traceId }) => traceId,
  );
}

const isAccepted = ({ status }: Call) => status === 202;

const isRefused = ({ status }: Call) => status !== 'unknown' && status >= 400 && status < 500;

const nameOf = ({ action, sourceId, traceId }: Call) => `${action} of ${sourceId} (${traceId})`;

/** Every call that was answered with 202 was applied, and came to something. */
export const acceptedAndLost: Invariant = ({ calls, logged }) => {
  const applied = appliedIn(logged);
  const accepted = calls.filter(isAccepted);
  const isDone = ({ outcome }: Logged) => outcome !== 'failed';
  const lost = accepted.filter(({ traceId }) => !applied.get(traceId ?? '')?.some(isDone));
  return { looked: accepted.length, violations: lost.map(nameOf) };
};

/** No call was applied twice; one that a facade repeated opened a second incident only if the first was closed before it came again. */
export const appliedTwice: Invariant = ({ logged, repeats }) => {
  const applied = [...appliedIn(logged)];
  const closed = Map.groupBy(
    logged.filter(({ outcome }) => outcome === 'closed'),
    ({ sourceId }) => sourceId,
  );
  const isClosedBetween = (one: Logged, next: Logged) =>
    (closed.get(one.sourceId) ?? []).some(({ id }) => id > one.id && id < next.id);
  const isTwice = (rows: readonly Logged[]) => {
    if (repeats === 'never') return rows.length > 1;
    const opened = rows.filter(({ outcome }) => outcome === 'opened').sort((a, b) => (a.id < b.id ? -1 : 1));
    return opened.slice(1).some((next, nth) => !isClosedBetween(opened[nth]!, next));
  };
  const twice = applied.filter(([, rows]) => isTwice(rows));
  const violations = twice.map(([trace, rows]) => `${trace}: ${rows.map(({ outcome }) => outcome).join(', ')}`);
  return { looked: applied.length, violations };
};

/** No call that was refused was applied all the same. */
export const refusedAndApplied: Invariant = ({ calls, logged }) => {
  const applied = appliedIn(logged);
  const refused = calls.filter(isRefused);
  const done = refused.filter(({ traceId }) => traceId !== null && applied.has(traceId));
  return { looked: refused.length, violations: done.map(call => `${call.status} for ${nameOf(call)}`) };
};

/** Nothing is left to do. */
export const leftUndone: Invariant = ({ logged, messages, undone }) => ({
  looked: logged.length + messages.length,
  violations: undone,
});

/** Calls of one source that did not overlap were applied in the order in which they were made. */
export const order: Invariant = ({ calls, logged }) => {
  const applied = appliedIn(logged);
  const accepted = calls.filter(call => isAccepted(call) && applied.has(call.traceId ?? ''));
  const ids = (call: Call) => applied.get(call.traceId!)!.map(({ id }) => id);
  const first = (call: Call) => ids(call).reduce((a, b) => (a < b ? a : b));
  const last = (call: Call) => ids(call).reduce((a, b) => (a > b ? a : b));
  const violations = [...Map.groupBy(accepted, ({ sourceId }) => sourceId).values()].flatMap(mine => {
    const byAnswer = mine.toSorted((a, b) => a.answered - b.answered);
    let answered = 0;
    let newest: Call | null = null;
    return mine
      .toSorted((a, b) => a.began - b.began)
      .flatMap(call => {
        for (; answered < byAnswer.length && byAnswer[answered]!.answered < call.began; answered++) {
          if (newest === null || first(byAnswer[answered]!) > first(newest)) newest = byAnswer[answered]!;
        }
        return newest !== null && first(newest) > last(call) ? [`${nameOf(call)} before ${nameOf(newest)}`] : [];
      });
  });
  return { looked: accepted.length, violations };
};

/**
 * A call is stored with the time at which it was made. After a fault the deployment's time stands still until somebody has
 * looked at the clock again (DECISIONS.md "One clock"): until then it may be the time of before.
 */
export const timeOfCall: Invariant = ({ calls, logged, faults, clock }) => {
  if (clock !== 'steady') return { looked: 0, violations: [] };
  const applied = appliedIn(logged);
  const looked = calls.filter(call => isAccepted(call) && applied.has(call.traceId ?? ''));
  const wrong = looked.flatMap(call => {
    const { at } = applied.get(call.traceId!)![0]!;
    const stoodStill = faults.find(({ from, until }) => from <= call.answered && until + LOOK_MS >= call.began);
    const earliest = Math.min(call.began, stoodStill?.from ?? call.began) - (stoodStill === undefined ? 0 : LOOK_MS);
    const isRight = at >= earliest - ABOUT_MS && at <= call.answered + ABOUT_MS;
    return isRight ? [] : [`${nameOf(call)} from ${call.began} to ${call.answered} is stored with ${at}`];
  });
  return { looked: looked.length, violations: wrong };
};

/** How long it takes until somebody looks at the clock, in milliseconds: every second, and once more for a busy machine. */
const LOOK_MS = 2_000;

/** How far clocks that are compared may be apart, in milliseconds. */
export const ABOUT_MS = 250;

/** A call is stored for the account and the source whose key made it, and its answer names nothing of another account. */
export const acrossAccounts: Invariant = ({ calls, logged, sources, messages, received }) => {
  const rows = Map.groupBy(logged, ({ traceId }) => traceId);
  const ownerOf = new Map(sources.map(({ id, accountId }) => [id, accountId]));
  const stored = calls.flatMap(call =>
    (rows.get(call.traceId ?? '') ?? [])
      .filter(row => row.accountId !== call.accountId || row.sourceId !== call.sourceId)
      .map(row => `${nameOf(call)} is stored for ${row.sourceId} of ${row.accountId}`),
  );
  const named = calls.flatMap(call =>
    (call.named ?? [])
      .filter(id => ownerOf.get(id) !== call.accountId)
      .map(id => `the answer to ${nameOf(call)} names ${id} of ${ownerOf.get(id) ?? 'nobody known'}`),
  );
  const addresses = new Map<string, Set<string>>();
  for (const source of sources) {
    if (source.addresses === undefined) continue;
    addresses.set(source.accountId, new Set([...(addresses.get(source.accountId) ?? []), ...source.addresses]));
  }
  const accountOf = new Map(messages.map(({ id, accountId }) => [id, accountId]));
  const told = received.flatMap(({ messageId, address }) => {
    const own = addresses.get(accountOf.get(messageId) ?? '');
    return address === '' || own === undefined || own.has(address) ? [] : [`message ${messageId} went to ${address}`];
  });
  return { looked: calls.length + received.length, violations: [...stored, ...named, ...told] };
};
