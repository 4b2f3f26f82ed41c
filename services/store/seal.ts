import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Encrypts addresses of people for the database and decrypts them for sending. */
export interface Seal {
  seal(text: string): string;
  /** Throws SealFault if the text was sealed with a key that is not ours, or altered. */
  open(sealed: string): string;
}

/** The same while keys are being changed (engine/keep/rotation.ts). */
export interface ChangingSeal extends Seal {
  /** Whether there is another key. */
  keys: 'one' | 'two';
  /** Names the key that `seal` uses. */
  keyId: string;
  /** Tells which key a text was sealed with: the one that `seal` uses, the other one, or none of ours. */
  sealedWith(sealed: string): 'this' | 'the_other' | 'none';
  /** Seals anew whatever in a text was sealed with the other key; what is damaged stays as it is. */
  reseal(text: string): string;
}

/** A sealed text cannot be opened. Retrying does not help. */
export class SealFault extends Error {
  override readonly name = 'SealFault';
}

/** A sealed text wherever it stands, as in the JSON of an incident. */
const SEALED = /v1\.[\w-]{8}\.[\w-]+\.[\w-]+\.[\w-]*/g;

/**
 * AES-256-GCM. A sealed text is `v1.<key id>.<nonce>.<tag>.<text>`, the last three in base64url. The key id names the
 * key that sealed it, so that keys can be changed while both are known (rotation). `key` is 32 bytes (DATA_KEY); `other`
 * opens only (DATA_KEY_ALSO).
 */
export function createSeal(key: Buffer, other: Buffer | null = null): ChangingSeal {
  const keyId = idOf(key);
  const keys = new Map(other === null ? [] : [[idOf(other), other]]).set(keyId, key);

  function seal(text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return ['v1', keyId, ...[nonce, cipher.getAuthTag(), sealed].map(part => part.toString('base64url'))].join('.');
  }

  function open(sealed: string): string {
    const [version, sealedWith = '', nonce, tag, text] = sealed.split('.');
    if (version !== 'v1' || !nonce || !tag || text === undefined) throw new SealFault('A sealed address is damaged.');
    const opening = keys.get(sealedWith);
    if (opening === undefined)
      throw new SealFault(`An address was sealed with another DATA_KEY (${sealedWith}, not ${keyId}).`);
    const decipher = createDecipheriv('aes-256-gcm', opening, Buffer.from(nonce, 'base64url'));
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return decipher.update(Buffer.from(text, 'base64url'), undefined, 'utf8') + decipher.final('utf8');
  }

  function sealedWith(sealed: string): 'this' | 'the_other' | 'none' {
    const [version, id = ''] = sealed.split('.', 2);
    if (version !== 'v1' || !keys.has(id)) return 'none';
    return id === keyId ? 'this' : 'the_other';
  }

  return {
    seal,
    open,
    keys: keys.size === 1 ? 'one' : 'two',
    keyId,
    sealedWith,
    reseal: text =>
      text.replace(SEALED, sealed => {
        if (sealedWith(sealed) !== 'the_other') return sealed;
        try {
          return seal(open(sealed));
        } catch {
          return sealed;
        }
      }),
  };
}

function idOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 8);
}
