import type { Tried } from './chances.ts';
import { type Changes, exhaustsAt, type Incident } from './incident.ts';
import type { SourceFacts } from './source-facts.ts';

/** When an incident counts as unanswered, milliseconds since 1970; infinite if not now. `tried`: null if not known. */
export interface Exhaustion {
  at: number;
  tried: Tried | null;
}

/** Returns when the open incident counts as unanswered (DECISIONS.md "`exhausted`"). */
export function exhaustionOf({ chancesOf }: Pick<SourceFacts, 'chancesOf'>, incident: Incident | null): Exhaustion {
  const never = { at: Number.POSITIVE_INFINITY, tried: null };
  if (incident === null) return never;
  const chances = chancesOf?.(incident) ?? null;
  if (chances === 'not_known') return never;
  const at = exhaustsAt(incident, chances?.lastAt);
  return at === null ? never : { at, tried: chances?.tried ?? null };
}

/** Returns when the open incident is to be looked at again, if messages still wait for their chance. */
export function putOffExhaustion(
  { chancesOf }: Pick<SourceFacts, 'chancesOf'>,
  incident: Incident | null,
): Changes['exhaustions'] {
  const chances = incident === null ? null : (chancesOf?.(incident) ?? null);
  if (incident === null || chances === null || chances === 'not_known') return [];
  const at = exhaustsAt(incident, chances.lastAt);
  return at === null ? [] : [{ incidentId: incident.id, at }];
}
