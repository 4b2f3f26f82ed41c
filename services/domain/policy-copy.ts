import type { StepContact } from './reach.ts';

/** A policy as it was when the incident opened: later edits do not affect a running escalation. */
export interface PolicyCopy {
  id: string;
  name: string;
  steps: readonly StepCopy[];
  /** Further rounds after the first, 0 to 5. */
  repeat: number;
  /** From the last step of a round to the start of the next, 60 s to 24 h. */
  repeatDelayS: number;
  /** How long an acknowledgement holds (ageing.ts), 300 s to 24 h; absent or 0: for good. */
  askAgainAfterS?: number;
}

export interface StepCopy {
  /** Time after the previous step; for the first step, after the start of the round. 0 s to 24 h. */
  delayS: number;
  contacts: readonly ContactCopy[];
}

/** A contact as it was then. Addresses are sealed (services/store/seal.ts). */
export interface ContactCopy extends StepContact {
  id: string;
  /** The name that its owner uses for it in commands; absent if unknown. */
  key?: string;
  name: string;
  locale: string;
  timeZone: string;
  /** Where they are told because they are on duty; absent: they are named themselves. */
  onDuty?: readonly OnDutyCopy[];
  /** The carrier's name of the voice that calls them; absent or empty for its default voice of the language. */
  voice?: string;
}

/** That somebody is told because they are on duty, in one round. */
export interface OnDutyCopy {
  round: number;
  /** The name of the duty. */
  duty: string;
  /** Until when they are, as was planned then: milliseconds since 1970; null: for good. */
  until: number | null;
}
