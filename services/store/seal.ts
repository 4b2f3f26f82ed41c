import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Encrypts addresses of people for the database and decrypts them for sending. */
export interface Seal {
  seal(text: string): string;
  /** Throws SealFault if the text was sealed with another key or altered. */
  open(sealed: string): string;
}

/** A sealed text cannot be opened. Retrying does not help. */
export class SealFault extends Error {
  override readonly name = 'SealFault';
}

/**
 * AES-256-GCM. A sealed text is `v1.<key id>.<nonce>.<tag>.<text>`, the last three in base64url. The key id names the
 * key that sealed it, so that keys can be changed without rewriting every row. `key` is 32 bytes (DATA_KEY).
 */
export function createSeal(key: Buffer): Seal {
  const keyId = createHash('sha256').update(key).digest('base64url').slice(0, 8);
  return {
    seal(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return ['v1', keyId, ...[nonce, cipher.getAuthTag(), sealed].map(part => part.toString('base64url'))].join('.');
    },
    open(sealed) {
      const [version, sealedWith, nonce, tag, text] = sealed.split('.');
      if (version !== 'v1' || !nonce || !tag || text === undefined) throw new SealFault('A sealed address is damaged.');
      if (sealedWith !== keyId)
        throw new SealFault(`An address was sealed with another DATA_KEY (${sealedWith}, not ${keyId}).`);
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'));
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return decipher.update(Buffer.from(text, 'base64url'), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
