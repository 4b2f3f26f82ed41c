import type { Invariant } from './types.ts';

/** At most one incident of a source is open. */
export const oneOpen: Invariant = ({ incidents }) => {
  const bySource = Map.groupBy(incidents, ({ sourceId }) => sourceId);
  const violations = [...bySource].flatMap(([source, all]) => {
    const open = all.filter(({ status }) => status === 'open');
    return open.length > 1 ? [`${source}: ${open.map(({ id }) => id).join(' and ')}`] : [];
  });
  return { looked: bySource.size, violations };
};

/** An incident was opened by the one call that it names, and counts exactly the calls that opened or joined it. */
export const countsCalls: Invariant = ({ incidents, logged }) => {
  const rows = Map.groupBy(
    logged.filter(({ outcome }) => outcome === 'opened' || outcome === 'folded'),
    ({ incidentId }) => incidentId,
  );
  const violations = incidents.flatMap(({ id, triggerCount, traceId }) => {
    const own = rows.get(id) ?? [];
    const openers = own.filter(({ outcome }) => outcome === 'opened').map(row => row.traceId);
    return [
      ...(openers.length === 1 && openers[0] === traceId
        ? []
        : [`${id} was opened by ${openers.join(' and ') || 'none'}`]),
      ...(own.length === triggerCount ? [] : [`${id} counts ${triggerCount} calls, not ${own.length}`]),
    ];
  });
  return { looked: incidents.length, violations };
};

/** Of every incident, each step of its policy is planned, and no message of one twice. */
export const stepsPlanned: Invariant = ({ incidents, messages, sources }) => {
  const byIncident = Map.groupBy(
    messages.filter(({ kind }) => kind === 'alert'),
    ({ incidentId }) => incidentId,
  );
  const known = new Map(sources.map(source => [source.id, source]));
  const violations = incidents.flatMap(({ id, sourceId, mode }) => {
    const own = byIncident.get(id) ?? [];
    const keys = own.map(({ round, step, contactId, channel }) => `${round}/${step} ${contactId} ${channel}`);
    const twice = keys.filter((key, nth) => keys.indexOf(key) !== nth);
    const wanted = known.get(sourceId)?.stepsMs?.[mode ?? '']?.length;
    const has = new Set(own.map(({ step }) => step)).size;
    return [
      ...twice.map(key => `${id} has two messages ${key}`),
      ...(wanted === undefined || wanted === has ? [] : [`${id} has ${has} steps, not ${wanted}`]),
    ];
  });
  return { looked: incidents.length, violations };
};
