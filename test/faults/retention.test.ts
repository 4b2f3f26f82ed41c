import { expect, test, vi } from 'vitest';
import { eventually } from '../support/wait.ts';
import { type DeliveryRig, startDeliveryRig } from './delivery-rig.ts';

vi.setConfig({ testTimeout: 90_000 });

const OLD = 50_000;
const YOUNG = 5_000;

test('killed half way through what is too old, it goes on at the next start: all of that goes and nothing else', async () => {
  const rig = await startDeliveryRig();
  const old = await rig.button({ afterS: 0, email: 1 });
  const young = await rig.button({ afterS: 0, email: 1 });
  await addCalls(rig, old, OLD, 31);
  await addCalls(rig, young, YOUNG, 29);
  const left = async (button: string) => {
    const [row] = await rig.rows<{ calls: number }>(
      'SELECT count(*)::int AS calls FROM logged_call WHERE source_seq = (SELECT seq FROM source WHERE id = $1)',
      [button],
    );
    return row!.calls;
  };

  const first = await rig.start({ RETENTION_CALLS: '30d' });
  await eventually(async () => (await left(old)) < OLD * 0.8, { what: 'a fifth of the old calls to go' });
  await first.product.kill();
  const halfWay = await left(old);
  expect(halfWay).toBeGreaterThan(0);
  expect(halfWay % 1_000).toBe(0);

  const second = await rig.start({ RETENTION_CALLS: '30d' });
  await eventually(async () => (await left(old)) === 0, { what: 'the old calls to be gone', within: 30_000 });
  expect(await left(young)).toBe(YOUNG);
  expect(await rig.press(second, old)).toBe(202);
  await rig.stand(old, ['email sent']);
});

/** Writes calls of the button that were accepted so many days ago into the log. */
async function addCalls(rig: DeliveryRig, button: string, count: number, daysAgo: number): Promise<void> {
  await rig.rows(
    `INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, verb, outcome)
     SELECT a.seq, s.seq * 1000000 + g, t.at, t.at, gen_random_uuid(), s.seq, 'trigger', 'folded'
     FROM source s JOIN account a ON a.id = s.account_id
     CROSS JOIN (SELECT tocsin_now() - make_interval(days => $3) AS at) t
     CROSS JOIN generate_series(1, $2::int) g
     WHERE s.id = $1`,
    [button, count, daysAgo],
  );
}
