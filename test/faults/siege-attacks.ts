import { connect } from 'node:net';

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

/** So many connections that never finish what they say. */
export function unfinished(http: string, connections: number): Attack {
  const { hostname, port } = new URL(http);
  const said = [
    '',
    'GET /v1/integration/state HTTP/1.1\r\nHost: x\r\nX-A',
    'POST /i/t/acknowledge HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\na',
    `POST /rpc/${START} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnect-Protocol-Version: 1\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 9999\r\n\r\n{`,
  ];
  const sockets = Array.from({ length: connections }, (_, n) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {}).resume();
    const bytes = said[n % said.length]!;
    if (bytes !== '') socket.write(bytes);
    return socket;
  });
  return {
    async stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
