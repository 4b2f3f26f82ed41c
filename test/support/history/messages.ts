import type { Fault, History, Invariant, Received } from './types.ts';

/* What carriers took, against what was to be sent. */

/** No call of a source in test counts as live, and nobody is told of an incident in test. */
export const alertsInTest: Invariant = ({ calls, logged, incidents, messages, received, sources }) => {
  const known = new Map(sources.map(source => [source.id, source]));
  const rows = new Map(logged.map(row => [row.traceId, row]));
  const switched = calls.flatMap(({ environments, sourceId, traceId, action }) => {
    const own = known.get(sourceId)?.environment;
    const allowed = environments ?? (own === undefined ? null : [own]);
    const row = rows.get(traceId ?? '');
    const isWrong =
      row !== undefined && row.appliedAt !== null && allowed !== null && !allowed.includes(row.environment);
    return isWrong ? [`${action} of ${sourceId} (${traceId}) is ${row.environment}, not ${allowed.join(' or ')}`] : [];
  });
  const inTest = new Set(incidents.filter(({ environment }) => environment === 'test').map(({ id }) => id));
  const quiet = messages.filter(({ incidentId }) => inTest.has(incidentId));
  const went = new Set(received.map(({ messageId }) => messageId));
  const told = quiet.filter(({ id, status }) => went.has(id) || ['sending', 'sent', 'delivered'].includes(status));
  return {
    looked: quiet.length + calls.length,
    violations: [...switched, ...told.map(({ id, incidentId }) => `message ${id} of ${incidentId} went out`)],
  };
};

/** A message goes out again only if it was in the hands of a process when something struck: once for each time. */
export const duplicates: Invariant = ({ received, faults }) => {
  const taken = Map.groupBy(received, ({ messageId }) => messageId);
  const violations = [...taken].flatMap(([id, all]) => {
    const excuses = faults.filter(fault => mayRepeat(fault, id, all)).length;
    return all.length - 1 > excuses ? [`${id} went out ${all.length} times, ${excuses} of them excused`] : [];
  });
  return { looked: taken.size, violations };
};

function mayRepeat({ inFlight, from, until }: Fault, id: string, taken: readonly Received[]): boolean {
  if (inFlight !== null) return inFlight.includes(id);
  const times = taken.map(({ at }) => at);
  return from <= Math.max(...times) && until >= Math.min(...times);
}

/** What is said to be sent was taken by its carrier, and carriers took nothing that nobody knows of. */
export const sentAndReceived: Invariant = ({ messages, received, heard }: History) => {
  const went = new Set(received.map(({ messageId }) => messageId));
  const known = new Set(messages.map(({ id }) => id));
  const said = messages.filter(
    ({ channel, status }) => heard.includes(channel) && ['sent', 'delivered'].includes(status),
  );
  return {
    looked: said.length + went.size,
    violations: [
      ...said.filter(({ id }) => !went.has(id)).map(({ id, status }) => `${id} is ${status}, and no carrier has it`),
      ...[...went].filter(id => !known.has(id)).map(id => `${id} went out, and there is no such message`),
    ],
  };
};
