import { Agent, request } from 'node:http';
import { connect } from 'node:net';

/*
 * Somebody at full tilt, in a process of their own: asks over so many connections, again as soon as each is answered, until it is
 * ended. Takes one Attack as JSON.
 */

/** What is asked, over and over. `%n` in a path becomes a number that never comes twice. */
export interface Attack {
  url: string;
  connections: number;
  /** They take turns. `idle`: connections that say nothing. */
  asks: readonly Ask[] | 'idle';
}

export interface Ask {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** So many bytes. */
  bytes?: number;
  /** Or this. */
  body?: string;
}

const { url, connections, asks } = JSON.parse(process.argv[2]!) as Attack;
const { hostname, port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const counts = new Map<string, number>();
let n = 0;

function ask({ method, path, headers = {}, bytes, body }: Ask): Promise<void> {
  return new Promise(resolve => {
    const asking = request(
      { agent, hostname, port, method, path: path.replaceAll('%n', String(n++)), headers },
      answer => {
        counts.set(String(answer.statusCode), (counts.get(String(answer.statusCode)) ?? 0) + 1);
        answer.resume().on('close', resolve);
      },
    );
    asking.on('error', error => {
      const { code = 'broken' } = error as { code?: string };
      counts.set(code, (counts.get(code) ?? 0) + 1);
      setImmediate(resolve);
    });
    asking.end(body ?? (bytes === undefined ? undefined : Buffer.alloc(bytes, 'a=')));
  });
}

function idle(): void {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}).on('close', () => setTimeout(idle, 100));
}

process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries(counts))}\n`, () => process.exit());
});

if (asks === 'idle') for (let nth = 0; nth < connections; nth++) idle();
else {
  await Promise.all(
    Array.from({ length: connections }, async (_, nth) => {
      for (let turn = nth; ; turn++) await ask(asks[turn % asks.length]!);
    }),
  );
}
