import type { Call, Delivery, IncidentChange, TimelineEntry } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';

/** What happened, or is to come, as it is told: who did what and who was told, each once. */
export type Told = Pick<TimelineEntry, 'at'> &
  (
    | { is: 'call'; call: Call }
    /** Triggers of machines that came one after another and changed nothing. */
    | { is: 'noise'; calls: readonly Call[] }
    /** `by`: whose call it came of, where the change does not say. `calledOff`: whom nothing was sent to any more. */
    | { is: 'change'; change: IncidentChange; by: string; calledOff: string[] }
    /** To one person at one moment, over each of their channels. */
    | { is: 'messages'; deliveries: readonly [Delivery, ...Delivery[]] }
  );

/** Returns what is told of a timeline. What was called off before it was tried is no row: its time may never have come. */
export function told(entries: readonly TimelineEntry[]): { happened: Told[]; planned: Told[] } {
  const of = (wanted: 'scheduled' | 'happened') =>
    rowsOf(entries.filter(({ state }) => (state === 'scheduled') === (wanted === 'scheduled')));
  return { happened: of('happened'), planned: of('scheduled') };
}

/** The change that a call led to, by the call's outcome: one of both is told. */
const LED_TO: Readonly<Record<string, string>> = { opened: 'opened', acknowledged: 'acknowledged', closed: 'closed' };

function rowsOf(entries: readonly TimelineEntry[]): Told[] {
  const rows: Told[] = [];
  const callBy = new Map<string, string>();
  const calledOff: Delivery[] = [];
  const changes = new Set(entries.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value.kind] : [])));
  for (const { at, entry } of entries) {
    const last = rows.at(-1);
    if (entry.case === 'change') {
      const change = entry.value;
      const by = change.by === '' ? (callBy.get(change.kind) ?? '') : '';
      // What comes at the same moment joins what opens: the call that opened it is told along with that.
      const place = change.kind === 'opened' && last?.is === 'noise' && isAt(last.at, at) ? -1 : rows.length;
      if (!isSaidBesides(change, changes)) rows.splice(place, 0, { at, is: 'change', change, by, calledOff: [] });
    } else if (entry.case === 'delivery') {
      const one = entry.value;
      if (one.status === 'cancelled' && one.attempts === 0) calledOff.push(one);
      else if (last?.is === 'messages' && isBeside(last, { at, one })) last.deliveries = [...last.deliveries, one];
      else rows.push({ at, is: 'messages', deliveries: [one] });
    } else if (entry.case === 'call') {
      const call = entry.value;
      const led = LED_TO[call.outcome];
      if (led !== undefined && changes.has(led)) callBy.set(led, call.actor || call.keyLabel);
      else if (isNoise(call) && last?.is === 'noise') last.calls = [...last.calls, call];
      else rows.push(isNoise(call) ? { at, is: 'noise', calls: [call] } : { at, is: 'call', call });
    }
  }
  for (const { reason, contactName } of calledOff) {
    const row = endOf(rows, reason === 'acknowledged' ? ['acknowledged', 'closed'] : ['closed', 'acknowledged']);
    if (row !== undefined && !row.calledOff.includes(contactName)) row.calledOff.push(contactName);
  }
  return rows;
}

/** Steps are told by whom they alert, and the end of a window by the incident that it opened. */
function isSaidBesides({ kind, detail }: IncidentChange, changes: ReadonlySet<string>): boolean {
  return kind === 'step' || (kind === 'window' && detail === 'ended' && changes.has('opened'));
}

function isNoise({ verb, actor, outcome }: Call): boolean {
  return verb === 'trigger' && actor === '' && outcome === 'folded';
}

function isBeside(row: Told & { is: 'messages' }, { at, one }: { at: TimelineEntry['at']; one: Delivery }): boolean {
  const [first] = row.deliveries;
  const isSame = (['contactName', 'contactId', 'kind', 'round', 'step'] as const).every(
    field => first[field] === one[field],
  );
  return isSame && isAt(row.at, at);
}

function isAt(one: TimelineEntry['at'], other: TimelineEntry['at']): boolean {
  return one?.seconds === other?.seconds && one?.nanos === other?.nanos;
}

function endOf(rows: readonly Told[], kinds: readonly string[]) {
  const changes = rows.filter(row => row.is === 'change');
  return kinds.flatMap(kind => changes.filter(({ change }) => change.kind === kind))[0];
}
