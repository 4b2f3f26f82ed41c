import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Pool } from 'pg';
import type { ListProofsResponseSchema } from '../../gen/tocsin/console/v1/drills_pb.ts';
import { answeredAfterS, FIRST_DIGEST } from '../domain/proof-chain.ts';
import { invalidField } from '../rpc/fields.ts';
import { MONTH, monthAfter, monthStart } from '../rpc/month.ts';
import { say } from '../rpc/reader.ts';
import { digestOf, readDigest, readReport, type StoredProof } from '../store/statements/proof.ts';
import { readNow } from '../store/statements/responder.ts';

/** How many rows an answer holds: more than a thousand people make in a month. */
const MOST_ROWS = 5_000;

/**
 * Returns the report of one month: who was asked when and over what, and how soon they answered, with the digests that
 * chain the rows (DECISIONS.md "Report of proofs"). `month` as `2026-11`, in UTC; empty: the present one. Throws
 * INVALID_ARGUMENT.
 */
export async function listProofs(
  pool: Pool,
  accountId: string,
  month: string,
): Promise<MessageInitShape<typeof ListProofsResponseSchema>> {
  if (month !== '' && !MONTH.test(month)) throw invalidField('month', say().accepts.month, month);
  const shown = month === '' ? (await readNow(pool)).toISOString().slice(0, 'YYYY-MM'.length) : month;
  const from = monthStart(shown);
  const rows = await readReport(pool, accountId, from, monthAfter(from, 1), MOST_ROWS + 1);
  const before = rows.length === 0 ? FIRST_DIGEST : await readDigest(pool, accountId, rows[0]!.id - 1);
  const page = rows.slice(0, MOST_ROWS);
  return {
    month: shown,
    before: before ?? '',
    chain: before !== null && isWhole(before, page) ? 'whole' : 'broken',
    more: rows.length > MOST_ROWS,
    // Times as the digests have them: what clocks show of a time of the deployment changes when it is set anew.
    proofs: page.map(row => ({
      number: BigInt(row.id),
      at: timestampFromMs(row.at),
      kind: row.kind,
      occasion: row.occasion,
      incidentId: row.incidentId,
      contactId: row.contactId,
      contactName: row.contactName,
      channel: row.channel,
      askedAt: timestampFromMs(row.askedAt),
      afterS: answeredAfterS(row) ?? 0,
      digest: row.digest,
    })),
  };
}

function isWhole(before: string, rows: readonly StoredProof[]): boolean {
  let last = before;
  return rows.every(({ digest, ...row }) => {
    const isNext = digestOf(last, row) === digest;
    last = digest;
    return isNext;
  });
}
