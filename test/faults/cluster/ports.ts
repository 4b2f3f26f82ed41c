import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems hand out by themselves, so that nobody takes the port of a process while it is dead. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A port of the loopback that is free now and that no system gives away by chance. */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const server = createServer();
    const outcome = once(server.listen(port), 'listening').then(
      () => 'free',
      () => 'taken',
    );
    if ((await outcome) === 'taken') continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
