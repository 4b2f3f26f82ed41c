import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { Subscription } from '../devices.ts';

/** What a browser gave us to encrypt to. */
type BrowserKeys = Pick<Subscription, 'p256dh' | 'auth'>;

/** What is new for each message; tests give it, to meet the example of the RFC. */
interface Fresh {
  /** A private key of P-256. */
  privateKey: Buffer;
  /** 16 bytes. */
  salt: Buffer;
}

/** The size of the one record in it, and the longest text that fits then, in bytes: a push service has to take 4,096 in all (RFC 8030 7.2). */
const RECORD_SIZE = 4_096;
export const LONGEST_TEXT = 3_993;

/**
 * Encrypts a text for one browser (RFC 8291, `aes128gcm`): the push service that carries it cannot read it. Throws where the keys are none, which
 * `areKeys` tells before.
 */
export function encrypt(text: string, { p256dh, auth }: BrowserKeys, fresh: Fresh | null = null): Buffer {
  const own = createECDH('prime256v1');
  if (fresh === null) own.generateKeys();
  else own.setPrivateKey(fresh.privateKey);
  const salt = fresh?.salt ?? randomBytes(16);
  const theirs = Buffer.from(p256dh, 'base64url');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, own.getPublicKey()]);
  const secret = derive(own.computeSecret(theirs), Buffer.from(auth, 'base64url'), info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // Two: nothing follows this record.
  const sealed = [cipher.update(Buffer.concat([Buffer.from(text), Buffer.of(2)])), cipher.final(), cipher.getAuthTag()];
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_SIZE);
  return Buffer.concat([salt, size, Buffer.of(own.getPublicKey().length), own.getPublicKey(), ...sealed]);
}

/** Tells whether a text can be encrypted to these. */
export function areKeys(keys: BrowserKeys): boolean {
  if (Buffer.from(keys.auth, 'base64url').length !== 16 || Buffer.from(keys.p256dh, 'base64url').length !== 65)
    return false;
  try {
    encrypt('', keys);
    return true;
  } catch {
    return false;
  }
}

function derive(from: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', from, salt, info, length));
}
