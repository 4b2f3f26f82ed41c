import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHeartbeat } from '../../services/channels/heartbeat.ts';
import { makeCertificate } from '../support/certificate.ts';
import { startHangingHosts } from '../support/hanging.ts';
import { startHeartbeats } from '../support/heartbeats.ts';
import { eventually } from '../support/wait.ts';

test('the address itself is called while all is well, and with /fail behind it when not', async () => {
  const { url, said } = await startHeartbeats();
  const call = createHeartbeat(url);
  expect([await call('well'), await call('fail'), await call('well')]).toEqual([null, null, null]);
  expect(said()).toEqual(['well', 'fail', 'well']);
});

describe('an address that takes no heartbeat says why', () => {
  test('one that leads elsewhere is not followed', async () => {
    const elsewhere = await startHeartbeats();
    const { url } = await startHeartbeats((_request, response) => {
      response.writeHead(302, { location: elsewhere.url }).end();
    });
    expect(await createHeartbeat(url)('well')).toBe(
      'HEARTBEAT_URL leads elsewhere (302), which is not followed: name the address that it leads to',
    );
    expect(elsewhere.said()).toEqual([]);
  });

  test.each([404, 500])('one that answers %i', async status => {
    const { url } = await startHeartbeats((_request, response) => response.writeHead(status).end('no'));
    expect(await createHeartbeat(url)('well')).toBe(`HEARTBEAT_URL answered ${status}`);
  });

  test('one that hangs is given up', async () => {
    const hosts = await startHangingHosts(1);
    onTestFinished(hosts.stop);
    expect(await createHeartbeat(`${hosts.urls[0]}/check`)('well')).toBe('HEARTBEAT_URL did not answer in time');
    await eventually(() => hosts.connections() === 0, { what: 'the connection to be gone' });
  });

  test('one that nobody listens at', async () => {
    expect(await createHeartbeat('http://127.0.0.1:9/check')('fail')).toBe('HEARTBEAT_URL could not be reached');
  });

  test('one whose answer never ends is an answer', async () => {
    const { url } = await startHeartbeats((_request, response) => {
      response.writeHead(200).flushHeaders();
    });
    expect(await createHeartbeat(url)('well')).toBeNull();
  });

  test('one whose certificate nobody vouches for', async () => {
    const server = createServer(makeCertificate(), (_request, response) => response.end('OK')).listen(0, '127.0.0.1');
    await new Promise(resolve => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await createHeartbeat(`https://127.0.0.1:${port}/check`)('well')).toMatch(
      /^HEARTBEAT_URL has a certificate that nobody known vouches for: /,
    );
  });
});
