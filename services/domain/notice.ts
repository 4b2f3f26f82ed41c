/** What the owner of an account is told by email about the account itself. */
export const NOTICE_KINDS = [
  'nobody_to_alert',
  'exhausted',
  'step_late',
  'step_missed',
  'spend_warning',
  'spend_capped',
  'sources_deactivated',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];
