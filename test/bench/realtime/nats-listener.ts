import { connect as dial } from 'nats';
import { startNatsServer } from '../../support/nats-server.ts';
import { startControl } from './control.ts';
import { NATS_SUBJECT } from './speech.ts';

/*
 * What to compare the relay with besides: nats-server's own WebSocket listener, with the same bytes per signal. The CPU and
 * memory that this process can tell are its own, not the server's.
 */
const webPort = 20_000 + Math.floor(Math.random() * 20_000);
const server = await startNatsServer({ config: `websocket { listen: "127.0.0.1:${webPort}", no_tls: true }` });
process.once('SIGTERM', () => void server.stop().finally(() => process.exit(0)));
const connection = await dial({ servers: server.url });
await startControl({
  http: `http://127.0.0.1:${webPort}`,
  async signal() {
    connection.publish(NATS_SUBJECT, '{"v":"1","kind":"state"}');
    await connection.flush();
  },
});
