/** What the owner of an account is told by email about the account itself. */
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
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 * What a notice is about, by name: `sourceName`, `openedAt` (ISO), `round` and `step` (from 0), `lateS`, `cents`, `capCents`,
 * `ceilingCents`, `sources` (how many, or their names), `because` (of `nobody_reached`: `all_failed`; absent: nothing was planned). Texts are
 * as owners wrote them; what is not known is absent.
 */
export type NoticeAbout = Readonly<Record<string, string | number>>;
