import type { EntityManager } from '@mikro-orm/postgresql';
import { MODE_NAMES, MODES, type ModeId } from '../../services/domain/mode.ts';
import type { Plan } from '../../services/domain/plan.ts';
import type { ResponseKind, SourceKind } from '../../services/domain/source.ts';
import { Account } from '../../services/store/entities/account.ts';
import { ApiKey, ApiKeySecret } from '../../services/store/entities/key.ts';
import { Mode, Source, SourceState } from '../../services/store/entities/source.ts';
import { newId } from '../../services/store/id.ts';
import { newSecret, type Pepper, pepperId, secretDigest } from '../../services/store/secret.ts';

/*
 * What owners have, written straight into the tables: many things at once, or such as no console makes.
 */

/** Adds an account to the unit of work; its spending ceiling is the usual one where nothing is said. Gives its id. */
export function addAccount(
  em: EntityManager,
  account: { name: string; plan: Plan; dailySpendCeilingCents?: number },
): string {
  const id = newId();
  em.create(Account, { ...account, id });
  return id;
}

/** Adds an API key to the unit of work, for the whole account or for one alarm. Gives its id and the secret. */
export function addApiKey(
  em: EntityManager,
  pepper: Pepper,
  key: { accountId: string; label: string; alarmId?: string },
): { id: string; secret: string } {
  const id = newId();
  const secret = newSecret('toc');
  em.create(ApiKey, { ...key, id });
  em.create(ApiKeySecret, {
    digest: secretDigest(pepper, secret),
    pepper: pepperId(pepper),
    accountId: key.accountId,
    keyId: id,
    last4: secret.slice(-4),
  });
  return { id, secret };
}

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
  return addSource(em, { ...button, kind: 'panic_button' });
}

/** A source and the row of its state always come together: the two ways of applying lock the latter. */
function addSource(em: EntityManager, source: (NewAlarm | NewPanicButton) & { kind: SourceKind }): string {
  const id = newId();
  em.create(Source, { ...source, id });
  em.create(SourceState, { accountId: source.accountId, sourceId: id, version: 0 });
  return id;
}
