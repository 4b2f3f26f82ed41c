import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createSecureContext, type Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { ConfigError } from '../services/process/settings.ts';

/** Paths of PEM files: the certificate with its chain, and its private key (TLS_CERT, TLS_KEY). */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** The contents of these files. */
export interface TlsPair {
  cert: string;
  key: string;
}

/** How often the files are read, in milliseconds. They are small. */
const LOOK_EVERY_MS = 1_000;

/** Reads the pair that the facade starts with. Throws ConfigError if it is unusable. */
export function readTlsPair(files: TlsFiles): TlsPair {
  try {
    const pair = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
    check(pair);
    return pair;
  } catch (fault) {
    const reason = fault instanceof Error && 'code' in fault ? ` (${fault.code})` : '';
    throw new ConfigError(`TLS_CERT and TLS_KEY take the PEM files of a certificate and its own key${reason}.`);
  }
}

/**
 * Serves a new pair as soon as the files contain one; open connections keep the old one. An unusable pair, such as half of a new
 * one, is logged once and ignored. Polls instead of watching: symbolic links, as container platforms make them, change without an
 * event.
 */
export function followTlsFiles(
  app: FastifyInstance,
  { files, pair, log }: { files: TlsFiles; pair: TlsPair; log: Logger },
): void {
  // With these options Fastify creates a TLS server, which its type does not say.
  const server = app.server as Server & Pick<TlsServer, 'setSecureContext'>;
  let seen = pair;

  async function look(): Promise<void> {
    try {
      const [cert, key] = await Promise.all([readFile(files.cert, 'utf8'), readFile(files.key, 'utf8')]);
      if (cert === seen.cert && key === seen.key) return;
      seen = { cert, key };
      check(seen);
      server.setSecureContext(seen);
      log.info('The new TLS certificate is in use.');
    } catch (fault) {
      log.error(
        { err: fault },
        'The files of TLS_CERT and TLS_KEY changed and cannot be used; the old pair stays in use.',
      );
    }
  }

  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/** Throws unless TLS works with the pair. An empty file, about to be written, would otherwise pass as no certificate. */
function check(pair: TlsPair): void {
  const certificate = new X509Certificate(pair.cert);
  if (!certificate.checkPrivateKey(createPrivateKey(pair.key)))
    throw new Error('The key is not that of the certificate.');
  createSecureContext(pair);
}
