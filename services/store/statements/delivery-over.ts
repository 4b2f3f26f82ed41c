/**
 * A condition: deliveries `d` of incidents `i` that nobody waits for any more (DECISIONS.md "Close or acknowledge").
 * Closing ends all of an incident's messages, an acknowledgement only its alerts.
 */
export const OVER = "(i.status = 'closed' OR (i.acknowledged_at IS NOT NULL AND d.kind = 'alert'))";
