interface Moment {
  seconds: bigint;
  nanos: number;
}

/** A message as a timeline has it. */
interface Planned {
  kind: string;
  plannedAt?: Moment | undefined;
  dueAt?: Moment | undefined;
}

/**
 * Returns the first message of the step that is next in a timeline, as the services see it (DECISIONS.md "Next now, note, hand over"):
 * what was put off or is tried again belongs to a step that is here. Null: none is to come.
 */
export function nextStepIn<Message extends Planned>(
  timeline: readonly { state: string; entry: { case: string | undefined; value?: unknown } }[],
): Message | null {
  for (const { state, entry } of timeline) {
    if (state !== 'scheduled' || entry.case !== 'delivery') continue;
    const message = entry.value as Message;
    const { kind, plannedAt, dueAt } = message;
    const isHere = plannedAt?.seconds !== dueAt?.seconds || plannedAt?.nanos !== dueAt?.nanos;
    if (kind === 'alert' && !isHere) return message;
  }
  return null;
}
