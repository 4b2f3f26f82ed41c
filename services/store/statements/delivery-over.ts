import { FAILING_AFTER } from '../../domain/delivery.ts';
import { DRILL_TRIED_S } from '../../domain/drill.ts';

/**
 * A condition: deliveries `d` of incidents `i` that nobody waits for any more (DECISIONS.md "Close or acknowledge").
 * Closing ends all of an incident's messages, an acknowledgement only its alerts; handing over ends an acknowledgement, and the
 * messages that tell of it.
 */
export const OVER = `(i.status = 'closed' OR (i.acknowledged_at IS NOT NULL AND d.kind = 'alert')
  OR (i.acknowledged_at IS NULL AND d.kind = 'acknowledged'))`;

/** A condition: the drill `i` began so long before `t.now` that another try might ring at night. */
export const TOO_LATE_FOR_DRILL = `(i.environment = 'drill' AND i.opened_at < (SELECT now FROM t) - interval '${DRILL_TRIED_S} s')`;

/** The alerts of later steps than that of `d`, to the same person over the same channel, that were not planned to go before it. */
export const LATER = `SELECT FROM delivery later WHERE later.account_id = d.account_id AND later.incident_id = d.incident_id
      AND later.kind = 'alert' AND (later.round, later.step) > (d.round, d.step)
      AND later.planned_at >= d.planned_at AND later.contact_id = d.contact_id
      AND later.channel = d.channel`;

/** A condition: alert `d` is failing. */
const FAILING_ALERT = `d.kind = 'alert' AND d.tries >= ${FAILING_AFTER}`;

/** A condition: a failing alert `d` of which a later one went out (DECISIONS.md "A passing failure"). */
export const OUTDATED = `(${FAILING_ALERT} AND EXISTS (${LATER} AND later.sent_at IS NOT NULL))`;

/** A condition: a failing alert `d` of which a later one is going out by `t.now`. It is tried if that one fails. */
export const OVERTAKEN = `(${FAILING_ALERT} AND EXISTS (
    ${LATER} AND later.status IN ('scheduled', 'sending') AND later.due_at <= (SELECT now FROM t)))`;
