import { connect, type Socket } from 'node:net';

/** What anybody may ask for, who wants to sign in. */
export const START = 'tocsin.console.v1.SessionService/StartSignIn';

/** What goes on until it is stopped. */
export interface Attack {
  stop(): Promise<void>;
}

/** All of these at once. */
export function both(...attacks: Attack[]): Attack {
  return { stop: async () => void (await Promise.all(attacks.map(attack => attack.stop()))) };
}

/** So many callers that ask again as soon as they are answered. */
export function over(callers: number, askOnce: () => Promise<unknown>): Attack {
  let state: 'on' | 'off' = 'on';
  const all = Array.from({ length: callers }, async () => {
    while (state === 'on') await askOnce().catch(() => {});
  });
  return {
    async stop() {
      state = 'off';
      await Promise.all(all);
    },
  };
}

/** How many connections are asked for at a time: fewer than the system keeps waiting, which drops what is over and lets it try again a second later. */
const AT_A_TIME = 250;

/** The pause between two such rounds, in milliseconds. */
const PAUSE_MS = 100;

/** So many connections that never finish what they say; one that was ended is followed by the next. */
export function unfinished(http: string, connections: number): Attack {
  const { hostname, port } = new URL(http);
  const said = [
    '',
    'GET /v1/integration/state HTTP/1.1\r\nHost: x\r\nX-A',
    'POST /i/t/acknowledge HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\na',
    `POST /rpc/${START} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnect-Protocol-Version: 1\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 9999\r\n\r\n{`,
  ];
  const open = new Set<Socket>();
  let n = 0;
  const connectOnce = () =>
    new Promise<void>(resolve => {
      const socket = connect({ host: hostname, port: Number(port) });
      open.add(socket);
      const bytes = said[n++ % said.length]!;
      if (bytes !== '') socket.write(bytes);
      socket.on('error', () => {}).resume();
      socket.once('connect', resolve).once('close', () => {
        open.delete(socket);
        resolve();
      });
    });
  const asking = over(1, async () => {
    const wanted = Math.min(AT_A_TIME, connections - open.size);
    await Promise.all([
      ...Array.from({ length: wanted }, connectOnce),
      new Promise(resolve => setTimeout(resolve, PAUSE_MS)),
    ]);
  });
  return {
    async stop() {
      const stopped = asking.stop();
      for (const socket of open) socket.destroy();
      await stopped;
      for (const socket of open) socket.destroy();
    },
  };
}
