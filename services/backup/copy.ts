import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { ClientBase, Submittable } from 'pg';

/*
 * COPY in text format over a connection of pg, which hands the messages of the protocol to the query that is under way
 * and has no query for COPY itself. Memory stays bounded: whoever is faster waits.
 */

/** What of a connection of pg is used here. */
interface Wire {
  stream: Socket;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/** From how many bytes on the server is asked to wait. */
const BUFFER_BYTES = 1_000_000;

/** The part of a query that is the same in both directions: it settles when the server is ready for the next. */
function settling() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Whoever waits for rows learns of a fault there; it must not count as unhandled meanwhile.
  promise.catch(() => {});
  return {
    done: promise,
    handlers: {
      handleError: (fault: Error) => reject(fault),
      handleReadyForQuery: () => resolve(),
      handleCommandComplete() {},
      handleEmptyQuery() {},
      handleRowDescription() {},
      handlePortalSuspended() {},
      handleDataRow() {},
    },
  };
}

/** Runs a `COPY … TO STDOUT` and yields its rows, each with its newline. Throws the error of the database. */
export async function* copyOut(client: ClientBase, sql: string): AsyncGenerator<Buffer> {
  const { done, handlers } = settling();
  let rows: Buffer[] = [];
  let bytes = 0;
  let wire: Wire | null = null;
  let wake = () => {};
  let state = 'running' as 'running' | 'ended';
  const end = () => {
    state = 'ended';
    wake();
  };
  // It changed while rows were yielded.
  const stateNow = () => state;
  done.then(end, end);
  submit(client, {
    ...handlers,
    submit(connection) {
      wire = connection;
      wire.query(sql);
    },
    handleCopyData({ chunk }) {
      // The parser uses its buffer again.
      rows.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > BUFFER_BYTES) wire?.stream.pause();
      wake();
    },
  });
  for (;;) {
    const taken = rows;
    const before = state;
    rows = [];
    bytes = 0;
    (wire as Wire | null)?.stream.resume();
    yield* taken;
    if (before === 'ended') break;
    if (rows.length > 0 || stateNow() === 'ended') continue;
    await new Promise<void>(resolve => {
      wake = resolve;
    });
  }
  await done;
}

/** Runs a `COPY … FROM STDIN` with these rows, cut anywhere. Throws the error of the database or of the rows. */
export async function copyIn(client: ClientBase, sql: string, rows: AsyncIterable<Buffer>): Promise<void> {
  const { done, handlers } = settling();
  const refused = done.then(
    () => 'ended' as const,
    () => 'ended' as const,
  );
  let fault: { cause: unknown } | null = null;

  async function send(wire: Wire): Promise<void> {
    try {
      for await (const chunk of rows) {
        wire.sendCopyFromChunk(chunk);
        if (!wire.stream.writableNeedDrain) continue;
        if ((await Promise.race([once(wire.stream, 'drain'), refused])) === 'ended') return;
      }
      wire.endCopyFrom();
    } catch (cause) {
      fault = { cause };
      wire.sendCopyFail('the rows cannot be read');
    }
  }

  let sent = Promise.resolve();
  submit(client, {
    ...handlers,
    submit: connection => connection.query(sql),
    handleCopyInResponse(connection) {
      sent = send(connection);
    },
  });
  await refused;
  await sent;
  if (fault !== null) throw (fault as { cause: unknown }).cause;
  await done;
}

type CopyQuery = ReturnType<typeof settling>['handlers'] & {
  submit(connection: Wire): void;
  handleCopyData?(message: { chunk: Buffer }): void;
  handleCopyInResponse?(connection: Wire): void;
};

function submit(client: ClientBase, query: CopyQuery): void {
  client.query(query as unknown as Submittable);
}
