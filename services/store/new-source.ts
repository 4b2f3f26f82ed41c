import type { EntityManager } from '@mikro-orm/postgresql';
import { MODE_NAMES, MODES, type ModeId } from '../domain/mode.ts';
import type { ResponseKind } from '../domain/source.ts';
import { Mode, Source, SourceState } from './entities/source.ts';
import { newId } from './id.ts';

/** What the owner of a new source says; the rest is as DECISIONS.md has it stored by default. */
interface NewSource {
  accountId: string;
  locationId: string;
  name: string;
  test?: boolean;
}

export interface NewAlarm extends NewSource {
  onlyWhenArmed?: boolean;
  clearOnDisarm?: boolean;
  /** Policy and window of single modes; without one a mode has no policy and no window. */
  modes?: Partial<Record<ModeId, { policyId?: string; windowS?: number }>>;
}

export interface NewPanicButton extends NewSource {
  responseKind: ResponseKind;
  responseText?: string;
  policyId?: string;
}

/** Adds an alarm with its four modes to the unit of work, in test unless said otherwise. Gives its id. */
export function addAlarm(em: EntityManager, alarm: NewAlarm): string {
  const { modes = {}, ...own } = alarm;
  const id = addSource(em, { ...own, kind: 'alarm' });
  for (const mode of MODES) {
    em.create(Mode, { accountId: alarm.accountId, sourceId: id, id: mode, name: MODE_NAMES[mode], ...modes[mode] });
  }
  return id;
}

/** Adds a panic button to the unit of work, in test unless said otherwise. Gives its id. */
export function addPanicButton(em: EntityManager, button: NewPanicButton): string {
  return addSource(em, { ...button, kind: 'panic' });
}

/** A source and the row of its state always come together: the two ways of applying lock the latter. */
function addSource(em: EntityManager, source: (NewAlarm | NewPanicButton) & { kind: 'alarm' | 'panic' }): string {
  const id = newId();
  em.create(Source, { ...source, id });
  em.create(SourceState, { accountId: source.accountId, sourceId: id, version: 0 });
  return id;
}
