import { onTestFinished } from 'vitest';
import { type NatsServer, startNatsServer } from '../../support/nats-server.ts';
import { eventually } from '../../support/wait.ts';
import { ownPort } from './ports.ts';

export interface NatsCluster {
  /** What NATS_URL takes: every server. A client is known to `serverOf` by the name that it brings; nobody checks it. */
  urlFor(client: string): string;
  /** The place in `servers` of the one that this client is connected to. */
  serverOf(client: string): Promise<number>;
  /** `restart` resolves when all servers know each other again. */
  servers: Pick<NatsServer, 'kill' | 'restart'>[];
}

/** Real nats-servers that pass messages on to each other. They are stopped with the test. */
export async function startNatsCluster(size: number): Promise<NatsCluster> {
  const ports = () => Promise.all(Array.from({ length: size }, ownPort));
  const [routes, monitors] = [await ports(), await ports()];
  const others = (nth: number) => routes.filter((_, at) => at !== nth).map(port => `"nats://127.0.0.1:${port}"`);
  const servers = await Promise.all(
    routes.map((port, nth) =>
      startNatsServer({
        config: `
http: "127.0.0.1:${monitors[nth]}"
cluster { name: tests, listen: "127.0.0.1:${port}", routes: [${others(nth).join(', ')}] }`,
      }),
    ),
  );
  onTestFinished(async () => void (await Promise.all(servers.map(server => server.stop()))));

  /** A server takes clients before it has found the others: what is published there until then stays there. */
  const whole = () =>
    eventually(async () => (await Promise.all(monitors.map(neighbours))).every(known => known === size - 1), {
      what: 'all nats-servers to know each other',
    });
  await whole();
  return {
    urlFor: client => servers.map(({ url }) => url.replace('//', `//${client}:unchecked@`)).join(','),
    async serverOf(client) {
      const at = await eventually(
        async () => {
          const known = await Promise.all(monitors.map(clients));
          const nth = known.findIndex(names => names.includes(client));
          return nth >= 0 && { nth };
        },
        { what: `${client} to be connected to NATS` },
      );
      return at.nth;
    },
    servers: servers.map(({ kill, restart }) => ({
      kill,
      async restart() {
        await restart();
        await whole();
      },
    })),
  };
}

async function neighbours(monitor: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${monitor}/routez`);
  const { routes } = (await response.json()) as { routes: { remote_id: string }[] };
  return new Set(routes.map(({ remote_id }) => remote_id)).size;
}

async function clients(monitor: number): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${monitor}/connz?auth=1`);
  const { connections } = (await response.json()) as { connections: { authorized_user?: string }[] };
  return connections.map(({ authorized_user: user }) => user ?? '');
}
