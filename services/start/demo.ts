import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type Transport } from '@connectrpc/connect';
import type { PoolClient } from 'pg';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import type { ReadFile } from '../configuration/file/apply.ts';
import { DEMO } from '../domain/actor.ts';
import type { Plan } from '../domain/plan.ts';
import { firstAccount } from './first-account.ts';

/** What a newcomer needs to make the first calls. */
export interface Demo {
  accountId: string;
  /** Opens /v1 for the whole demo account; shown once. */
  apiKey: string;
  /** The one live alarm: its email goes to DEMO_EMAIL. */
  liveAlarmId: string;
  /** In test: everything is recorded, nobody is alerted. */
  testAlarmId: string;
  testPanicId: string;
}

/** Addresses under .invalid can never be delivered: the email channel keeps what is for them (RFC 2606). */
const PLACEHOLDER = 'demo@tocsin.invalid';

/**
 * Fills an empty database with the demo (demo.yaml). Returns null and changes nothing if there is any account. Must run inside a
 * transaction. `demoEmail` is the live alarm's contact.
 */
export async function seedDemo(
  client: PoolClient,
  on: { plan: Plan; demoEmail: string | null; read: ReadFile },
): Promise<Demo | null> {
  const { id: accountId, was } = await firstAccount(client, { name: 'Demo', plan: on.plan, purpose: 'demo' });
  if (was === 'there') return null;

  const text = readFileSync(join(import.meta.dirname, 'demo.yaml'), 'utf8');
  const file = await on.read(text, { 'env:DEMO_EMAIL': on.demoEmail ?? PLACEHOLDER });
  const { problems, changes, newSecrets } = await file.applyTo(client, accountId, DEMO);
  if (problems.length > 0) throw new Error(`demo.yaml: ${JSON.stringify(problems)}`);
  const idOf = (kind: string, key: string) => changes.find(one => one.kind === kind && one.key === key)!.id;
  return {
    accountId,
    apiKey: newSecrets.find(({ key }) => key === 'demo')!.secret,
    liveAlarmId: idOf('alarm', 'try-me'),
    testAlarmId: idOf('alarm', 'house'),
    testPanicId: idOf('panic_button', 'bedside'),
  };
}

/** Makes two test incidents through the API, so that there is a history to look at. */
export async function rehearseDemo(transport: Transport, demo: Demo): Promise<void> {
  const client = createClient(AlarmService, transport);
  const key = { headers: { 'x-api-key': demo.apiKey } };
  const alarm = { alarmId: demo.testAlarmId };
  await client.arm({ ...alarm, modeId: 'night' }, key);
  await client.trigger(alarm, key);
  await client.disarm(alarm, key);
  await client.triggerPanic({ panicId: demo.testPanicId }, key);
  await client.clearPanic({ panicId: demo.testPanicId }, key);
}
