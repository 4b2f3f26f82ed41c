import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a server of this machine that fails as networks do. */
export interface Line {
  port: number;
  /** Ends every connection, and each that is opened from now on. */
  cut(): void;
  /** From now on nothing that is said arrives, in either direction, and nobody is told: as when a machine loses its power. */
  silence(): void;
  /** New connections get through again; those of before stay as they are. */
  mend(): void;
  /** The next connection ends with the very packet that holds `last`, and with `end` behind it. */
  endNext(last: Buffer, end: Buffer): void;
}

/** Opens a line to a port of this machine. It closes with the test. */
export async function startLine(port: number): Promise<Line> {
  const silent = new WeakSet<Socket>();
  const open = new Set<Socket>();
  let state: 'whole' | 'silent' | 'cut' = 'whole';
  let ending: { last: Buffer; end: Buffer } | null = null;
  const server = createServer(near => {
    if (state === 'cut') return void near.destroy();
    const far = connect({ host: '127.0.0.1', port });
    const ends = ending;
    ending = null;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      if (state === 'silent') silent.add(from);
      from.on('data', said => {
        if (silent.has(from)) return;
        if (from === near || ends === null || !said.includes(ends.last)) return void to.write(said);
        near.end(Buffer.concat([said, ends.end]));
        far.destroy();
      });
      from.on('error', () => {});
      from.once('close', () => {
        open.delete(from);
        if (!silent.has(from)) to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      for (const socket of open) socket.destroy();
    },
    silence() {
      state = 'silent';
      for (const socket of open) silent.add(socket);
    },
    mend() {
      state = 'whole';
    },
    endNext(last, end) {
      ending = { last, end };
    },
  };
}
