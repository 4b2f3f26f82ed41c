/**
 * Which deliveries `d` of incidents `i` nobody waits for any more (DECISIONS.md "Close or acknowledge"), as a condition:
 * closing ends all of an incident, somebody who has it only its alerts.
 */
export const OVER = "(i.status = 'closed' OR (i.acknowledged_at IS NOT NULL AND d.kind = 'alert'))";
