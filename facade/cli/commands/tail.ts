import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Command } from 'commander';
import {
  type WatchIncidentsResponse,
  WatchIncidentsResponseSchema,
} from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Incident } from '../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { backoffMs, jittered } from '../../../services/process/backoff.ts';
import { clean } from '../../../services/process/text.ts';
import { examples } from '../flags.ts';
import { collect } from '../pages.ts';
import { type Act, messageJson, type Session } from '../session.ts';
import { sourceId } from '../sources.ts';
import { count, safeJson, time } from '../text.ts';
import { trippedLine } from '../timeline.ts';

/** Between two connections, in milliseconds. */
const BACKOFF = { firstMs: 500, mostMs: 30_000 };

/** The errors that trying again does not change. */
const FINAL = [Code.Unauthenticated, Code.PermissionDenied, Code.NotFound, Code.InvalidArgument, Code.Unimplemented];

/** `tocsin tail`: live events, until it is interrupted. It reconnects by itself and then reports what it missed. */
export function addTail(program: Command, act: Act): void {
  const tail = program.command('tail');
  tail.option('--source <source>', 'only of this alarm or panic button: id or key');
  examples(tail, 'tail', 'tail --source house --json').action(
    act(async (session, { source }: { source?: string }) => {
      const watched = source === undefined ? '' : await sourceId(session.rpc, source);
      const open = new Map<string, string>();
      for (let failures = 0; ; ) {
        try {
          for await (const event of session.rpc.incidents.watchIncidents({ sourceId: watched })) {
            failures = 0;
            if (event.kind === 'ready') await catchUp(session, watched, open);
            else tell(session, event.kind, event.incident!, open);
          }
        } catch (error) {
          if (session.io.signal.aborted || !(error instanceof ConnectError) || FINAL.includes(error.code)) throw error;
        }
        const wait = jittered(backoffMs(++failures, BACKOFF));
        session.note(`The connection ended: trying again in ${(wait / 1000).toFixed(1)} s.`);
        await sleep(wait, undefined, { signal: session.io.signal });
      }
    }),
  );
}

/** After `ready` nothing is missed: reports what is open, and what closed meanwhile. */
async function catchUp(session: Session, watched: string, open: Map<string, string>): Promise<void> {
  const { rpc } = session;
  const { items } = await collect({}, async (pageSize, pageToken) => {
    const answer = await rpc.incidents.listIncidents({ sourceId: watched, status: 'open', pageSize, pageToken });
    return { items: answer.incidents, nextPageToken: answer.nextPageToken };
  });
  for (const incident of items.reverse()) {
    if (open.get(incident.id) !== fingerprint(incident)) tell(session, 'open', incident, open);
  }
  const stillOpen = new Set(items.map(({ id }) => id));
  for (const incidentId of [...open.keys()].filter(id => !stillOpen.has(id))) {
    tell(session, 'closed', (await rpc.incidents.getIncident({ incidentId })).incident!, open);
  }
  session.note(`Watching. Open now: ${count(items.length, 'incident')}. Ctrl-C ends it.`);
}

function tell(session: Session, kind: string, incident: Incident, open: Map<string, string>): void {
  if (incident.status === 'open') open.set(incident.id, fingerprint(incident));
  else open.delete(incident.id);
  const event = { kind, incidentId: incident.id, incident } as WatchIncidentsResponse;
  session.io.stdout.write(`${session.format === 'json' ? eventJson(event) : eventLine(session, kind, incident)}\n`);
}

function eventJson(event: WatchIncidentsResponse): string {
  return safeJson(
    messageJson(WatchIncidentsResponseSchema, { ...event, $typeName: WatchIncidentsResponseSchema.typeName }),
  );
}

function eventLine(session: Session, kind: string, incident: Incident): string {
  const { sourceName, mode, responseKind, environment, closeReason, acknowledgedBy, triggerCount, trippedBy, id } =
    incident;
  const colour = kind === 'opened' ? (environment === 'live' ? 'red' : 'yellow') : kind === 'closed' ? 'green' : 'dim';
  const said = [
    mode || responseKind,
    environment,
    ...(closeReason === '' ? [] : [closeReason]),
    ...(acknowledgedBy === '' ? [] : [`acknowledged by ${clean(acknowledgedBy)}`]),
    ...(triggerCount > 1 ? [`${triggerCount} triggers`] : []),
    ...(trippedBy.length > 0 ? [`tripped by ${trippedLine(incident)}`] : []),
  ];
  return `${time(new Date())}  ${session.paint(colour, kind.padEnd(7))}  ${clean(sourceName)} (${said.join(', ')})  ${id}`;
}

function fingerprint({ acknowledgedBy, triggerCount }: Incident): string {
  return JSON.stringify([acknowledgedBy, triggerCount]);
}
