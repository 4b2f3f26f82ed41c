import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TlsFiles } from '../../facade/tls.ts';

/** A certificate and its private key, both as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** Makes a certificate for localhost and 127.0.0.1 that vouches for itself (RFC 5280), good for a year around now. */
export function makeCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(tlv(0x06, hex('2a8648ce3d040302')));
  const name = sequence(tlv(0x31, sequence(tlv(0x06, hex('550403')), tlv(0x0c, Buffer.from('Tocsin test')))));
  const names = sequence(tlv(0x82, Buffer.from('localhost')), tlv(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    sequence(tlv(0x06, hex('551d11')), tlv(0x04, names)),
    sequence(tlv(0x06, hex('551d13')), tlv(0x04, sequence(tlv(0x01, hex('ff'))))),
  );
  const halfYear = 183 * 86_400_000;
  const toBeSigned = sequence(
    tlv(0xa0, tlv(0x02, hex('02'))),
    tlv(0x02, Buffer.concat([hex('01'), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(Date.now() - halfYear), time(Date.now() + halfYear)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, extensions),
  );
  const signature = tlv(0x03, hex('00'), sign('sha256', toBeSigned, privateKey));
  const lines = sequence(toBeSigned, algorithm, signature)
    .toString('base64')
    .match(/.{1,64}/g)!;
  return {
    // Without an empty line where the last one is full: OpenSSL does not read that.
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Writes a pair of files, which are removed with the test, and gives their paths. */
export async function certificateFiles(pair: Certificate): Promise<TlsFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-tls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await writeFile(paths.cert, pair.cert);
  await writeFile(paths.key, pair.key);
  return paths;
}

/** Tag, length, value: all that DER is. */
function tlv(tag: number, ...values: Buffer[]): Buffer {
  const value = Buffer.concat(values);
  const { length } = value;
  const long = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...long]), value]);
}

function sequence(...values: Buffer[]): Buffer {
  return tlv(0x30, ...values);
}

function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, 'hex');
}
