import { expect, test, vi } from 'vitest';
import { newSecret } from '../../services/store/secret.ts';
import { consoleOf } from '../support/console.ts';
import { emptied } from '../support/emptied.ts';
import { startDeliveryRig } from './delivery-rig.ts';
import { standStill } from './standstill.ts';

vi.setConfig({ testTimeout: 120_000 });

const HISTORY = ['delivery', 'incident', 'api_key', 'source', 'location', 'audit'] as const;

test.each([
  ['rolled back', 'cut'],
  ['committed', 'goOn'],
] as const)('an erase that is killed in the middle, its last transaction %s, is gone on with by the next one (DECISIONS.md "Deleting an account")', async (_what, end) => {
  const rig = await startDeliveryRig();
  const operator = newSecret('tcn');
  const button = await rig.button({ afterS: 0, email: 1 });
  const first = await rig.start({ CONSOLE_TOKEN: operator });
  expect(await rig.press(first, button)).toBe(202);
  await rig.stand(button, ['email sent']);
  const [{ id: accountId }] = (await rig.rows<{ id: string }>('SELECT id FROM account')) as [{ id: string }];
  const of = ({ ready }: typeof first) => consoleOf({ rpcUrl: ready.rpc }, operator, accountId);
  await emptied(of(first));
  await of(first).accounts.deleteAccount({ accountId });
  const left = async () => {
    const counts: Record<string, number> = {};
    for (const table of HISTORY) {
      const sql = `SELECT count(*)::int AS rows FROM ${table} WHERE account_id = $1`;
      counts[table] = (await rig.rows<{ rows: number }>(sql, [accountId]))[0]!.rows;
    }
    return counts;
  };

  const standing = await standStill(rig, { table: 'incident', at: 'the row', on: 'DELETE' });
  const unanswered = expect(of(first).accounts.eraseAccount({ accountId })).rejects.toThrow();
  await standing.reached();
  await first.product.kill();
  await unanswered;
  await standing[end]();
  expect(await left()).toMatchObject({ delivery: 0, source: 1, location: 1 });

  const second = await rig.start({ CONSOLE_TOKEN: operator });
  expect((await of(second).accounts.eraseAccount({ accountId })).account).toMatchObject({
    id: accountId,
    erasedAt: {},
  });
  expect(await left()).toEqual(Object.fromEntries(HISTORY.map(table => [table, 0])));
});
