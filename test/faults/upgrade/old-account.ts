import { randomUUID } from 'node:crypto';
import { MODE_NAMES, MODES, type ModeId } from '../../../services/domain/mode.ts';
import { newId } from '../../../services/store/id.ts';
import { newSecret, secretDigest } from '../../../services/store/secret.ts';
import { PEPPER } from '../../support/world.ts';
import type { OldDatabase } from './rig.ts';

/** An account of the version before, made by SQL: this version may come to make accounts otherwise. */
export interface OldAccount {
  id: string;
  locationId: string;
  key: OldKey;
  /** A further key for the whole account. */
  anotherKey(): Promise<OldKey>;
  /** A console token of its own. */
  token(): Promise<string>;
  /** An alarm with all modes, live unless said otherwise. `windowS`: the false-alarm window of all its modes. */
  alarm(
    name: string,
    options?: { test?: boolean; gated?: boolean; windowS?: number; clearOnDisarm?: boolean },
  ): Promise<string>;
  panicButton(name: string): Promise<string>;
}

export interface OldKey {
  id: string;
  secret: string;
  digest: Buffer;
}

export async function oldAccount({ rows }: Pick<OldDatabase, 'rows'>, name: string): Promise<OldAccount> {
  const id = newId();
  const locationId = newId();
  await rows("INSERT INTO account (id, name, plan) VALUES ($1, $2, 'paid')", [id, name]);
  await rows("INSERT INTO location (account_id, id, key, name, address) VALUES ($1, $2, $2, 'Home', '1 Elm Street')", [
    id,
    locationId,
  ]);

  async function makeKey(): Promise<OldKey> {
    const keyId = newId();
    const secret = newSecret('toc');
    const digest = secretDigest(PEPPER, secret);
    await rows("INSERT INTO api_key (account_id, id, key, label) VALUES ($1, $2, $2, 'A key')", [id, keyId]);
    await rows('INSERT INTO api_key_secret (digest, account_id, key_id, last4) VALUES ($1, $2, $3, $4)', [
      digest,
      id,
      keyId,
      secret.slice(-4),
    ]);
    return { id: keyId, secret, digest };
  }

  const state = (sourceId: string) =>
    rows('INSERT INTO source_state (account_id, source_id) VALUES ($1, $2)', [id, sourceId]);
  return {
    id,
    locationId,
    key: await makeKey(),
    anotherKey: makeKey,
    async token() {
      const secret = newSecret('tcn');
      const sql = "INSERT INTO console_token (id, account_id, digest, label) VALUES ($1, $2, $3, 'A token')";
      await rows(sql, [randomUUID(), id, secretDigest(PEPPER, secret)]);
      return secret;
    },
    async alarm(name, { test = false, gated = false, windowS = 0, clearOnDisarm = false } = {}) {
      const sourceId = newId();
      await rows(
        `INSERT INTO source (account_id, id, key, kind, location_id, name, test, only_when_armed, clear_on_disarm)
         VALUES ($1, $2, $2, 'alarm', $3, $4, $5, $6, $7)`,
        [id, sourceId, locationId, name, test, gated, clearOnDisarm],
      );
      const modeNames = MODES.map((mode: ModeId) => MODE_NAMES[mode]);
      await rows(
        `INSERT INTO mode (account_id, source_id, id, name, window_s)
         SELECT $1, $2, m.id, m.name, $5 FROM unnest($3::text[], $4::text[]) AS m (id, name)`,
        [id, sourceId, MODES, modeNames, windowS],
      );
      await state(sourceId);
      return sourceId;
    },
    async panicButton(name) {
      const sourceId = newId();
      await rows(
        `INSERT INTO source (account_id, id, key, kind, location_id, name, test, response_kind)
         VALUES ($1, $2, $2, 'panic', $3, $4, false, 'fire')`,
        [id, sourceId, locationId, name],
      );
      await state(sourceId);
      return sourceId;
    },
  };
}
