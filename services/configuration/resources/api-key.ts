import { type InferEntity, raw } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { proposedSupervision, type Rhythm } from '../../domain/rhythm.ts';
import { SUPERVISION_S } from '../../domain/supervision.ts';
import { chosenText, chosenTime } from '../../process/wall-clock.ts';
import { say } from '../../rpc/reader.ts';
import { ApiKey, ApiKeySecret } from '../../store/entities/key.ts';
import { rowsOf } from '../../store/save-rows.ts';
import { key, lookUrlOrNone, name, onSilenceOr, referenceOrNone, secondsOrOff, timeOrNever } from '../fields.ts';
import type { Resource } from '../resource.ts';

const schema = z.strictObject({
  key,
  label: name,
  alarmId: referenceOrNone,
  expiresAt: timeOrNever,
  lookUrl: lookUrlOrNone,
  supervisionS: secondsOrOff(SUPERVISION_S.least, SUPERVISION_S.most),
  onSilence: onSilenceOr('notify'),
});

export type ApiKeyDoc = z.infer<typeof schema>;

/**
 * A key of /v1 without its secrets (SPEC.md 5). It is never deleted, only revoked, because the calls it made refer to
 * it.
 */
export const apiKey: Resource<ApiKeyDoc, InferEntity<typeof ApiKey>> = {
  kind: 'api_key',
  facts: 'of_doc',
  schema,
  settle({ onSilence, alarmId }) {
    const isWhole = onSilence === 'alert' && alarmId === '';
    return isWhole ? [{ field: 'onSilence', problem: say().accepts.alertNeedsAlarm }] : [];
  },
  nameOf: doc => doc.label,
  references(doc) {
    const take = (id: string) => {
      doc.alarmId = id;
    };
    return doc.alarmId === '' ? [] : [{ kind: 'alarm', path: 'alarmId', named: doc.alarmId, take }];
  },
  entity: ApiKey,
  living: {},
  async reader(parts) {
    const secrets = await parts(ApiKeySecret, 'keyId', {
      narrowed: { $or: [{ endsAt: null }, { endsAt: { $gt: raw('tocsin_now()') } }] },
      orderBy: [{ endsAt: 'asc nulls first' }, { createdAt: 'desc' }],
    });
    return row => {
      const { id, key, label, alarmId, expiresAt, lookUrl, supervisionS, onSilence } = row;
      const { createdAt, revokedAt, lastUsedAt, lastUsedAddress, lastUsedAgent, status } = row;
      return {
        doc: {
          key,
          label,
          alarmId: alarmId ?? '',
          expiresAt: expiresAt ? chosenText(expiresAt) : '',
          lookUrl,
          supervisionS,
          onSilence,
        },
        facts: {
          createdAt,
          revokedAt,
          lastUsedAt,
          lastUsedAddress: lastUsedAddress ?? '',
          lastUsedAgent: lastUsedAgent ?? '',
          status,
          aliveAt: row.aliveAt,
          silentSince: status === 'active' ? row.silentSince : null,
          proposedSupervisionS: proposedSupervision(rhythmOf(row), row.now.getTime()),
          secrets: eachOnce(secrets.get(id) ?? []),
        },
      };
    };
  },
  rows({ accountId, id, doc: { key, label, alarmId, expiresAt, lookUrl, supervisionS, onSilence } }) {
    const ends = expiresAt === '' ? null : chosenTime(expiresAt);
    const own = { key, label, lookUrl, supervisionS, onSilence };
    const row = { accountId, id, ...own, alarmId: alarmId || null, expiresAt: ends };
    return { saved: [rowsOf(ApiKey, [row])] };
  },
  remove: async () => {},
};

function rhythmOf({ gaps, gapsSince, aliveAt, socketAt }: InferEntity<typeof ApiKey>): Rhythm {
  const at = (time: Date | null | undefined) => time?.getTime() ?? null;
  return { gaps: gaps ?? null, gapsSince: at(gapsSince), aliveAt: at(aliveAt), socketAt: at(socketAt) };
}

/** While KEY_PEPPER is being changed a secret is stored under both peppers (store/statements/adopt.ts). */
function eachOnce<Secret extends { last4: string; createdAt: Date }>(secrets: readonly Secret[]): Secret[] {
  const seen = new Set<string>();
  return secrets.filter(({ last4, createdAt }) => {
    const name = `${last4} ${createdAt.toISOString()}`;
    return seen.has(name) ? false : seen.add(name);
  });
}
