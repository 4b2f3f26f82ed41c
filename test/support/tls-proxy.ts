import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { onTestFinished } from 'vitest';
import { makeCertificate } from './certificate.ts';

/** A proxy that ends TLS and serves something below a path of its own, as people have one in front. */
export interface TlsProxy {
  /** Where browsers reach what is behind it, such as `https://127.0.0.1:4711/tocsin`. */
  url: string;
  /** The paths that were asked for elsewhere at its host. */
  strays: string[];
  /** Begins to serve what is at a URL. */
  leadTo(url: string): void;
}

/** Starts a proxy for `prefix`, such as `/tocsin`; it ends with the test. Its certificate vouches for itself. */
export async function startTlsProxy(prefix: string): Promise<TlsProxy> {
  const strays: string[] = [];
  let behind: URL | null = null;
  const server = createServer(makeCertificate(), (incoming, answer) => {
    const asked = incoming.url ?? '/';
    // As nginx does it: relative links of a page at the bare prefix would lead past it.
    if (asked === prefix) return void answer.writeHead(301, { location: `${prefix}/` }).end();
    const path = asked.startsWith(`${prefix}/`) ? asked.slice(prefix.length) : null;
    if (path === null || behind === null) {
      strays.push(asked);
      answer.writeHead(404, { 'content-type': 'text/plain' }).end('Nothing of Tocsin is here.');
      return;
    }
    const { hostname, port } = behind;
    const headers = {
      ...incoming.headers,
      'x-forwarded-for': incoming.socket.remoteAddress,
      'x-forwarded-host': incoming.headers.host,
      'x-forwarded-proto': 'https',
    };
    const outgoing = request({ hostname, port, path, method: incoming.method, headers }, from => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  return {
    url: `https://127.0.0.1:${port}${prefix}`,
    strays,
    leadTo(url) {
      behind = new URL(url);
    },
  };
}
