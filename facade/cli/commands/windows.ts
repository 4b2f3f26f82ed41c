import type { Command } from 'commander';
import {
  CallOffResponseSchema,
  ListWindowsResponseSchema,
  type Window,
} from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { examples } from '../flags.ts';
import type { Rpc } from '../rpc.ts';
import type { Act } from '../session.ts';
import { sourceId } from '../sources.ts';
import { inTurn } from '../timeline.ts';

/** As many as one answer has. */
const MOST = 200;

/** What became of calling it off, for people. */
const SAID: Readonly<Record<string, string>> = {
  cancelled: 'Called off: no incident opened and nobody was alerted.',
  closed: 'Called off in time: the incident that had opened meanwhile was closed.',
  nothing_waits: 'Nothing waits there: it has alerted, or was cancelled or called off before.',
  more_came: 'Nothing was called off: another device tripped it since.',
  another_waits: 'Nothing was called off: another trigger waits there now.',
};

/** The outcomes after which something else waits than what was seen. */
const STILL_WAITS: readonly string[] = ['more_came', 'another_waits'];

/** `tocsin incidents windows` and `call-off` (DECISIONS.md "Calling off"). */
export function addWindows(incidents: Command, act: Act): void {
  const windows = incidents
    .command('windows')
    .description('what waits in its false-alarm window, before anybody is alerted');
  examples(windows, 'incidents windows').action(
    act(async session => {
      const answer = await session.rpc.incidents.listWindows({ pageSize: MOST });
      session.answer(ListWindowsResponseSchema, answer, () => linesOf(answer.windows, answer.total));
    }),
  );

  const callOff = incidents
    .command('call-off')
    .description('calls off what waits in its false-alarm window: nobody is alerted');
  callOff.argument('<source>', 'id or key of an alarm').option('--by <name>', "who does it (the token's label)");
  examples(callOff, 'incidents call-off house --by Anna').action(
    act(async (session, { by = '' }: { by?: string }, reference: string) => {
      const id = await sourceId(session.rpc, reference);
      const waits = await waitingAt(session.rpc, id);
      const answer =
        waits === undefined
          ? { $typeName: CallOffResponseSchema.typeName, outcome: 'nothing_waits', incidentId: '' }
          : await session.rpc.incidents.callOff({ ...named(waits), by });
      const since = STILL_WAITS.includes(answer.outcome) ? await waitingAt(session.rpc, id) : undefined;
      const asksAgain = since === undefined ? [] : [lineOf(since), 'If that is a false alarm too, call it off again.'];
      session.answer(CallOffResponseSchema, answer, () => [SAID[answer.outcome] ?? answer.outcome, ...asksAgain]);
    }),
  );
}

/** Reads what waits at an alarm; undefined: nothing. */
async function waitingAt(rpc: Rpc, sourceId: string): Promise<Window | undefined> {
  const { windows } = await rpc.incidents.listWindows({ sourceId, pageSize: 1 });
  return windows[0];
}

/** What names a window as it was seen. */
function named({ sourceId, traceId, senders }: Window) {
  return { sourceId, traceId, senders };
}

function linesOf(windows: readonly Window[], total: number): string[] {
  if (total === 0) return ['Nothing waits.'];
  const more = total - windows.length;
  return [...windows.map(lineOf), ...(more === 0 ? [] : [`and ${more} more`])];
}

function lineOf({ alertsInMs, sourceName, locationName, mode, environment, trippedBy, triggerCount }: Window): string {
  const tripped = trippedBy.length === 0 ? [] : [`tripped by ${inTurn(trippedBy)}`];
  const often = triggerCount === 1 ? [] : [`triggered ${triggerCount} times`];
  const facts = [mode, clean(locationName), ...(environment === 'test' ? ['in test'] : []), ...tripped, ...often];
  return `${clean(sourceName)} alerts in ${Math.ceil(alertsInMs / 1_000)}s: ${facts.join(', ')}`;
}
