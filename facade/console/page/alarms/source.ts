import { Code, ConnectError } from '@connectrpc/connect';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { PanicButton } from '../../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { alarms, panicButtons } from '../rpc/rpc.ts';
import { addressOf } from '../way/router.ts';

/** What can fire. */
export type Source = Alarm | PanicButton;

export function isAlarm(of: Source): of is Alarm {
  return of.$typeName === 'tocsin.console.v1.Alarm';
}

/** Returns the address of its screen. */
export function screenOf(of: Source): string {
  return addressOf(`${isAlarm(of) ? 'alarms' : 'panic-buttons'}/${of.id}`);
}

/** Puts a source in test for so many seconds, or live. Keeps whatever else somebody changed meanwhile. */
export async function setTest(of: Source, lastsS: number | 'live'): Promise<void> {
  try {
    await storeTest(of, lastsS);
  } catch (fault) {
    if (ConnectError.from(fault).code !== Code.Aborted) throw fault;
    await storeTest(await readAnew(of), lastsS);
  }
}

async function storeTest({ id, version, ...of }: Source, lastsS: number | 'live'): Promise<void> {
  const updateMask = { paths: ['test', 'test_until'] };
  const set = lastsS === 'live' ? { test: false } : { test: true, testForS: lastsS };
  if (of.$typeName === 'tocsin.console.v1.Alarm')
    await alarms.updateAlarm({ alarm: { id, version, ...set }, updateMask });
  else await panicButtons.updatePanicButton({ panicButton: { id, version, ...set }, updateMask });
}

async function readAnew(of: Source): Promise<Source> {
  if (isAlarm(of)) return (await alarms.getAlarm({ alarmId: of.id })).alarm!;
  return (await panicButtons.getPanicButton({ panicButtonId: of.id })).panicButton!;
}
