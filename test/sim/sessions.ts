import pg from 'pg';
import type { Process } from './virtual.ts';

/*
 * A session of the server begins with nothing in its memory: to look up the catalog, and to parse and plan each statement for the
 * first time, took more than half of a life in which processes die and connections are cut. So sessions outlive the connections that
 * they serve, with the statements that they have prepared. Whatever else a connection leaves is undone.
 */

/** A session of the server. */
export interface Session {
  pid: number;
  client: pg.Client;
  /** Which others it may stand in for: what it prepared and how it was set up at its start are the same. */
  kind: string;
  state: 'good' | 'gone';
  onLost(fault: Error): void;
}

const idle = new Map<string, Session[]>();

/** Undoes what a connection left: its transaction, its settings, its locks. */
const UNDO =
  'ROLLBACK; CLOSE ALL; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES';

/** Returns a session that serves nobody. `onLost` is told when it ends. */
export async function takeSession(
  version: Process['version'],
  config: pg.ClientConfig,
  onLost: Session['onLost'],
): Promise<Session> {
  const kind = `${version} ${config.options}`;
  for (let kept = idle.get(kind)?.pop(); kept !== undefined; kept = idle.get(kind)?.pop()) {
    if (kept.state === 'good') return Object.assign(kept, { onLost });
  }
  const client = new pg.Client(config);
  const session: Session = { pid: 0, client, kind, state: 'good', onLost };
  client.on('error', fault => {
    session.state = 'gone';
    session.onLost(fault);
  });
  await client.connect();
  session.pid = (client as unknown as { processID: number }).processID;
  return session;
}

/** Takes a session back; resolves when nothing is left of what it had under way. */
export async function giveBack(session: Session): Promise<void> {
  session.onLost = () => {};
  if (session.state === 'gone') return;
  await session.client.query(UNDO).then(
    () => idle.set(session.kind, [...(idle.get(session.kind) ?? []), session]),
    () => {},
  );
}

/** Ends the sessions that serve nobody. */
export async function endSessions(): Promise<void> {
  await Promise.all([...idle.values()].flat().map(({ client }) => client.end()));
  idle.clear();
}
