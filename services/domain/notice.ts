/** What the owner of an account is notified of by email about the account itself. */
export const NOTICE_KINDS = [
  'nobody_to_alert',
  'nobody_reached',
  'escalation_capped',
  'exhausted',
  'step_late',
  'step_missed',
  'spend_warning',
  'spend_capped',
  'spend_ceiling',
  'sources_deactivated',
  'call_failed',
  'calls_limited',
  'calls_shed',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 * The details of a notice, by name: `sourceName`, `openedAt` (ISO), `round` and `step` (from 0), `lateS`, `cents`,
 * `capCents`, `ceilingCents`, `sources` (a count, or names), `because` (of `nobody_reached`: `all_failed`; absent if
 * nothing was planned). Texts are as owners wrote them; unknown details are absent.
 */
export type NoticeAbout = Readonly<Record<string, string | number>>;
