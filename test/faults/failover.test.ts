import { expect, onTestFinished, test } from 'vitest';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { query } from './embedded-rig.ts';
import { startPair } from './pair.ts';
import { startProduct } from './product.ts';
import { expectRefusal } from './refusal.ts';

const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

/** From the loss of the primary until calls are taken again, in milliseconds. */
const BACK_MS = 15_000;

/** In seconds: windows and steps end after the primary is gone. */
const WINDOW_S = 12;

test('the primary dies under load and its standby takes over: no accepted call is lost, and every timer fires once', async () => {
  const pair = await startPair();
  await expectRefusal(
    startProduct({ DATABASE_URL: pair.standby, ...SECRETS }),
    /^The database of DATABASE_URL \(postgres at 127\.0\.0\.1:\d+\) takes no writes, as a standby does: name the host that does, or all of them/,
  );
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const settings = { SMTP_URL: smtp.url, DEMO_EMAIL: 'you@example.com' };
  const product = startProduct({ DATABASE_URL: pair.url, ...SECRETS, ...settings });
  const { http, apiKey = '' } = await product.ready();
  const ask = async (path: string) => {
    const response = await fetch(`${http}/v1/${path}`, { headers: { 'x-api-key': apiKey } });
    return {
      status: response.status,
      body: (await response.json()) as { traceId: string; data: Record<string, unknown> },
    };
  };
  const [house, tryMe] = await idsOf(pair.primary, ['House', 'Try me (live)']);
  await query(pair.primary, `UPDATE mode SET window_s = ${WINDOW_S} WHERE source_id = '${tryMe}'`);
  expect((await ask(`alarm/${tryMe}/arm/night`)).status).toBe(202);
  expect((await ask(`alarm/${tryMe}/trigger`)).status).toBe(202);

  const accepted: string[] = [];
  let load: 'on' | 'off' = 'on';
  let lostAt = Number.POSITIVE_INFINITY;
  let backAt: number | null = null;
  const callers = ['arm/away', 'disarm', 'arm/home', 'clear'].map(async verb => {
    while (load === 'on') {
      const { status, body } = await ask(`alarm/${house}/${verb}`);
      if (status !== 202) continue;
      accepted.push(body.traceId);
      if (performance.now() > lostAt) backAt ??= performance.now();
    }
  });
  await eventually(() => accepted.length > 200, { what: 'calls to be taken', within: 20_000 });
  await pair.killPrimary();
  lostAt = performance.now();
  await pair.promote();
  await eventually(() => backAt !== null, { what: 'calls to be taken again', within: BACK_MS });
  const after = accepted.length;
  await eventually(() => accepted.length > after + 200, { what: 'more calls to be taken', within: 20_000 });
  load = 'off';
  await Promise.all(callers);
  process.stdout.write(
    `failover: writes back after ${Math.round(backAt! - lostAt)} ms, ${accepted.length} calls accepted\n`,
  );

  const applied = `SELECT DISTINCT trace_id FROM call_log WHERE trace_id = ANY ('{${accepted.join()}}'::uuid[]) AND applied_at IS NOT NULL`;
  const areApplied = async () => (await query(pair.standby, applied)).length === accepted.length;
  await eventually(areApplied, { what: 'every accepted call to be applied', within: 20_000 });
  const mails = () => smtp.mails.filter(({ text }) => text?.includes('Try me (live)'));
  await eventually(() => mails().length > 0, { what: 'the window to end', within: 30_000 });
  const incidents = `SELECT id FROM incident WHERE source_id = '${tryMe}'`;
  expect(await query(pair.standby, incidents)).toHaveLength(1);
  const told = `SELECT status FROM delivery WHERE incident_id IN (${incidents})`;
  const areTold = async () => JSON.stringify(await query(pair.standby, told)) === '[{"status":"sent"}]';
  await eventually(areTold, { what: 'one message to be sent' });
  expect(mails()).toHaveLength(1);
}, 120_000);

async function idsOf(url: string, names: readonly string[]): Promise<string[]> {
  const rows = (await query(url, 'SELECT name, id FROM source')) as { name: string; id: string }[];
  return names.map(name => rows.find(row => row.name === name)!.id);
}
