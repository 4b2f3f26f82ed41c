/** How the lanes of the version before lease messages, word for word. Values: channel, two limits, lease in seconds, throttle. */
export const OLD_LEASE = `
WITH first AS (
  SELECT account_id, id FROM delivery
  WHERE status = 'scheduled' AND kind = 'alert' AND round = 0 AND step = 0 AND tries = 0
    AND channel = $1 AND due_at <= (SELECT tocsin_now())
  ORDER BY due_at DESC LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
),
scheduled AS (
  SELECT account_id, id FROM delivery
  WHERE status = 'scheduled' AND channel = $1 AND due_at <= (SELECT tocsin_now())
  ORDER BY due_at, seq LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
),
lapsed AS (
  SELECT account_id, id FROM delivery
  WHERE status = 'sending' AND channel = $1 AND lease_until <= (SELECT tocsin_now())
  ORDER BY lease_until LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
),
due AS (
  SELECT DISTINCT ON (account_id, id) account_id, id, way, lapsed FROM (
    SELECT account_id, id, 'first' AS way, 0 AS lapsed FROM first
    UNION ALL SELECT * FROM (
      SELECT account_id, id, 'others', 1 FROM lapsed UNION ALL SELECT account_id, id, 'others', 0 FROM scheduled LIMIT $3
    ) others
  ) both_ways
  ORDER BY account_id, id, way
)
UPDATE delivery d SET status = 'sending', attempt = d.attempt + 1, tries = d.tries + due.lapsed,
  first_attempt_at = coalesce(d.first_attempt_at, t.now), lease_until = t.now + make_interval(secs => $4)
FROM due, (SELECT tocsin_now() AS now) t, incident i, account a
WHERE d.account_id = due.account_id AND d.id = due.id
  AND i.account_id = d.account_id AND i.id = d.incident_id AND NOT (i.status = 'closed' OR (i.acknowledged_at IS NOT NULL AND d.kind = 'alert'))
  AND a.id = d.account_id
RETURNING d.account_id, d.id, d.incident_id, d.kind, d.round, d.step, d.contact_id, d.channel, d.attempt, d.tries,
  d.first_attempt_at, due.way, t.now, i.environment, i.opened_at, i.trigger_count, i.last_trigger_at, i.acknowledged_by,
  i.reply_code, i.copy, a.plan, a.created_at AS account_created_at,
  CASE WHEN EXISTS (
    SELECT FROM delivery o
    WHERE o.account_id = d.account_id AND o.contact_id = d.contact_id AND o.channel = d.channel
      AND o.sent_at IS NOT NULL AND o.incident_id = d.incident_id
  ) THEN 'repeat' ELSE 'first_of_incident' END AS place,
  (SELECT o.sent_at FROM delivery o
    WHERE o.account_id = d.account_id AND o.contact_id = d.contact_id AND o.channel = d.channel
      AND o.sent_at > t.now - make_interval(secs => $6)
    ORDER BY o.sent_at DESC OFFSET $5 LIMIT 1) AS nth_recent_at`;
