/** How a certificate can be at fault, and what can be done. */
interface CertificateWords {
  /** After the name of the server: `has a certificate that …`. */
  has: string;
  todo: string;
}

const TRUST = 'whoever runs Tocsin can trust it by NODE_EXTRA_CA_CERTS (a file with the certificate of its authority)';

const UNKNOWN: CertificateWords = { has: 'has a certificate that nobody known vouches for', todo: TRUST };

/** By OpenSSL's name of the fault, as Node gives it. */
export const CERTIFICATE_FAULTS: ReadonlyMap<string, CertificateWords> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', { ...UNKNOWN, todo: `let it send its whole chain of certificates, or ${TRUST}` }],
  ['CERT_UNTRUSTED', UNKNOWN],
  ['INVALID_CA', UNKNOWN],
  ['CERT_HAS_EXPIRED', { has: 'has a certificate that has expired', todo: 'renew it' }],
  ['CERT_NOT_YET_VALID', { has: 'has a certificate that is not valid yet', todo: 'check the clocks of both machines' }],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    { has: 'has a certificate for another name', todo: 'use the name that it is for, or give it one for this name' },
  ],
  ['CERT_REVOKED', { has: 'has a certificate that was revoked', todo: 'give it a new one' }],
]);

/** Tells whether the code of an error says that a server's certificate was not trusted. */
export function isCertificateFault(code: string): boolean {
  return CERTIFICATE_FAULTS.has(code);
}

/**
 * Returns what is wrong with a server's certificate and what can be done, after the name of the server; null if the code
 * of the error says nothing of that.
 */
export function certificateWords(code: string): string | null {
  const words = CERTIFICATE_FAULTS.get(code);
  return words === undefined ? null : `${words.has}: ${words.todo}`;
}
