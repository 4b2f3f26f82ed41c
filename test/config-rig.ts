export const PEPPER = 'p'.repeat(32);
export const KEY = Buffer.alloc(32, 7);
export const SID = `AC${'0a'.repeat(16)}`;
export const TOKEN = 'f'.repeat(32);
export const SIGNING = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
export const EXTERNAL = { DATABASE_URL: 'postgres://u:p@db/t', KEY_PEPPER: PEPPER, DATA_KEY: KEY.toString('hex') };
