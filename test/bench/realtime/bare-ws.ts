import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { dataMessage } from '../../../facade/realtime/protocol.ts';
import { startControl } from './control.ts';

/*
 * What to compare the relay with: a bare broadcast with the ws package, and nothing else. No protocol, no keys, no limits, no
 * keep-alives; the same bytes per signal, and one text for all.
 */
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'aws-appsync-event-ws' });
const text = dataMessage('s', 'state');
server.on('connection', ws => {
  ws.on('error', () => {});
  ws.on('message', () => ws.send('{"type":"subscribe_success","id":"s"}'));
});
await new Promise(resolve => server.once('listening', resolve));
await startControl({
  http: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  async signal() {
    for (const client of server.clients) client.send(text);
  },
});
