import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { publicUrlAt, readConfig } from '../../facade/config.ts';
import { type Certificate, certificateFiles, makeCertificate } from '../support/certificate.ts';
import { eventually } from '../support/wait.ts';
import { openClient } from './client.ts';
import { KEYS, type Rig, startRig } from './rig.ts';

const { owner, outsider } = KEYS;
const CHANNEL = `/account/${owner.accountId}`;

async function servedCertificate({ port }: Rig): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return raw;
}

const der = ({ cert }: Certificate) => Buffer.from(cert.replaceAll(/-----.*-----|\n/g, ''), 'base64');

test('calls and sockets go over TLS to those who trust the certificate, and plain HTTP is told so', async () => {
  const pair = makeCertificate();
  const rig = await startRig({ config: { tls: await certificateFiles(pair) } });
  expect(rig.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${rig.url}/livez`, { ca: pair.cert, agent: false }, got => resolve(got.resume())).on('error', reject);
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');

  const client = await openClient(rig.url, { key: owner.secret, ca: pair.cert });
  await client.greet();
  await client.subscribe('one', CHANNEL, owner.secret);
  const stranger = await openClient(rig.url, { key: outsider.secret, ca: pair.cert });
  await stranger.greet();
  rig.change('state');
  await client.told({ type: 'data', id: 'one' });
  await stranger.settled();
  expect(stranger.signals).toEqual([]);

  const distrustful = await openClient(rig.url, { key: owner.secret });
  expect(distrustful.closed?.code).toBe(1006);
  const plain = await fetch(`http://127.0.0.1:${rig.port}/livez`);
  expect([plain.status, await plain.json()]).toEqual([
    400,
    { message: 'This port speaks https: begin the address with https://.' },
  ]);
});

test.each(['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const)('%s: from 1.2 on', async version => {
  const pair = makeCertificate();
  const rig = await startRig({ config: { tls: await certificateFiles(pair) } });
  // Clients of today do not even offer the older ones, unless they are told to take anything.
  const ciphers = 'DEFAULT@SECLEVEL=0';
  const only = { minVersion: version, maxVersion: version };
  const socket = connect({ host: '127.0.0.1', port: rig.port, ca: pair.cert, ciphers, ...only });
  const met = await once(socket, 'secureConnect').then(
    () => socket.getProtocol(),
    ({ code }) => code,
  );
  socket.destroy();
  expect(met).toBe(['TLSv1', 'TLSv1.1'].includes(version) ? 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' : version);
});

test('a new pair is served without a restart, and open sockets go on', async () => {
  const [first, second] = [makeCertificate(), makeCertificate()];
  const paths = await certificateFiles(first);
  const rig = await startRig({ config: { tls: paths } });
  const client = await openClient(rig.url, { key: owner.secret, ca: first.cert });
  await client.subscribe('one', CHANNEL, owner.secret);
  expect(await servedCertificate(rig)).toEqual(der(first));

  await writeFile(paths.cert, second.cert);
  await eventually(() => rig.log.some(line => line.includes('cannot be used')), { what: 'half of a pair to be seen' });
  expect(await servedCertificate(rig)).toEqual(der(first));
  await writeFile(paths.key, second.key);
  await eventually(async () => (await servedCertificate(rig)).equals(der(second)), { what: 'the new certificate' });
  rig.change('state');
  await client.told({ type: 'data' });
});

test.each([
  ['text that is no PEM', 'no certificate'],
  ['nothing', ''],
])('%s in the place of a certificate leaves the old one in use and is said once', async (_, text) => {
  const first = makeCertificate();
  const paths = await certificateFiles(first);
  const rig = await startRig({ config: { tls: paths } });
  const complaints = () => rig.log.filter(line => line.includes('cannot be used'));
  await writeFile(paths.cert, text);
  await eventually(() => complaints().length, { what: 'the complaint' });
  await writeFile(paths.key, text);
  await eventually(() => complaints().length === 2, { what: 'the complaint about the next change' });
  expect(await servedCertificate(rig)).toEqual(der(first));
  expect(rig.log.join('')).not.toContain('PRIVATE KEY');
});

test('a pair that does not belong together, or is not there, stops the start with one sentence', async () => {
  const mixed = { cert: makeCertificate().cert, key: makeCertificate().key };
  const sentence = /^TLS_CERT and TLS_KEY take the PEM files of a certificate and its own key( \(\w+\))?\.$/;
  await expect(startRig({ config: { tls: await certificateFiles(mixed) } })).rejects.toThrow(sentence);
  const missing = { cert: '/nowhere/cert.pem', key: '/nowhere/key.pem' };
  await expect(startRig({ config: { tls: missing } })).rejects.toThrow(sentence);
});

test('the settings name both files or none, and make the public URL one of https', () => {
  const config = readConfig({ TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' });
  expect(config.tls).toEqual({ cert: 'cert.pem', key: 'key.pem' });
  expect(publicUrlAt(config, 8443)).toBe('https://localhost:8443');
  expect(publicUrlAt(readConfig({}), 8443)).toBe('http://localhost:8443');
  expect(() => readConfig({ TLS_CERT: 'cert.pem' })).toThrow('TLS_CERT is set without TLS_KEY: set both or none.');
  expect(() => readConfig({ TLS_KEY: 'key.pem' })).toThrow('TLS_KEY is set without TLS_CERT: set both or none.');
  const { cert, key } = makeCertificate();
  expect(() => readConfig({ TLS_CERT: cert, TLS_KEY: key })).toThrow(
    `TLS_CERT takes the path of a PEM file, got ${cert.length} characters.`,
  );
});
