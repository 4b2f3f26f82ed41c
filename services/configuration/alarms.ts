import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { type Alarm, AlarmService } from '../../gen/tocsin/console/v1/alarms_pb.ts';
import { chosenAt } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { LEADS_TO } from '../store/source-sql.ts';
import { run, type Statement } from '../store/statement.ts';
import type { OpenAccount } from './change.ts';
import type { ConsoleOn } from './console.ts';
import { createCrud, crudMethods } from './crud.ts';
import { listOrAbsent, orAbsent } from './messages.ts';
import type { Stored } from './resource.ts';
import { type AlarmDoc, alarm as resource } from './resources/alarm.ts';
import { givenUntil } from './test-switch.ts';

/** Alarms as their owner configures them (SPEC.md 2 "Alarm"). */
export function createAlarmConsole(deps: ConsoleOn): ServiceImpl<typeof AlarmService> {
  const how = { resource, kept: ['test', 'testUntil', 'modes'], givenBy, viewer: async () => view, mayChange } as const;
  return crudMethods(AlarmService, createCrud(deps, how));
}

function givenBy(alarm: Alarm, now: Date) {
  const { key, name, locationId, test, disabled, onlyWhenArmed, clearOnDisarm, modes } = alarm;
  return {
    key: orAbsent(key),
    name,
    locationId,
    test,
    testUntil: givenUntil(alarm, now),
    disabled,
    onlyWhenArmed,
    clearOnDisarm,
    modes: listOrAbsent(
      modes.map(({ id, name, policyId, windowS }) => ({ id, name: orAbsent(name), policyId, windowS })),
    ),
  };
}

function view({ id, version, doc, facts }: Stored<AlarmDoc>) {
  const { deactivated, armedMode } = facts as { deactivated: boolean; armedMode: string };
  const { testUntil, ...said } = doc;
  return { id, version, ...said, ...chosenAt('testUntil', testUntil), deactivated, armedMode };
}

/**
 * The armed mode after all calls accepted so far: a waiting arm counts. For the rare arm that is accepted a moment
 * later, a deleted armed mode has its fallback.
 */
const armedStatement: Statement<{ armed: string | null }> = {
  name: 'console_armed_mode',
  text: `
SELECT ${LEADS_TO} AS armed
FROM source s WHERE s.account_id = $1 AND s.id = $2`,
};

/**
 * Requires confirmation of a change of modes that would make calls fail: DECISIONS.md "A new alarm" (a policy is
 * unbound), "Bare arm, disarmed" (the armed mode is deleted).
 */
async function mayChange(
  open: OpenAccount,
  before: Stored<AlarmDoc>,
  after: AlarmDoc,
  force: 'force' | 'careful',
): Promise<void> {
  if (force === 'force') return;
  const kept = new Map(after.modes.map(mode => [mode.id, mode]));
  const gone = before.doc.modes.filter(({ id }) => !kept.has(id)).map(({ id }) => id as string);
  if (gone.length > 0) {
    const [state] = await run(open.client, armedStatement, [open.accountId, before.id]);
    if (state?.armed && gone.includes(state.armed)) throw armedIn(before.doc.name, state.armed);
  }
  const unbound = before.doc.modes.filter(({ id, policyId }) => policyId !== '' && !kept.get(id)?.policyId);
  if (unbound.length > 0)
    throw unbinds(
      before.doc.name,
      unbound.map(({ id }) => id),
    );
}

function armedIn(name: string, mode: string): ConnectError {
  return new ConnectError(say().refusals.armedIn(name, mode), Code.FailedPrecondition);
}

function unbinds(name: string, modes: readonly string[]): ConnectError {
  return new ConnectError(say().refusals.unbinds(name, modes), Code.FailedPrecondition);
}
