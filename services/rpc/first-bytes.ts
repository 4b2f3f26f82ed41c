import type { Socket } from 'node:net';

/** How an HTTP/2 connection begins; no HTTP/1.1 method does. */
const HTTP2_PREFACE = Buffer.from('PRI ');

/** Peeks at the first bytes of a connection to tell which version of HTTP it speaks; gives up after `firstBytesMs` milliseconds. */
export function routeByVersion(socket: Socket, firstBytesMs: number, to: (version: 1 | 2) => void): void {
  let seen = Buffer.alloc(0);
  const giveUp = () => socket.destroy();
  const look = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) seen = Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, HTTP2_PREFACE.length);
    const maybeHttp2 = seen.subarray(0, length).equals(HTTP2_PREFACE.subarray(0, length));
    if (maybeHttp2 && length < HTTP2_PREFACE.length) return;
    socket.off('readable', look).off('end', giveUp).off('timeout', giveUp).setTimeout(0);
    socket.unshift(seen);
    to(maybeHttp2 ? 2 : 1);
  };
  socket.setTimeout(firstBytesMs).on('timeout', giveUp).on('end', giveUp).on('readable', look);
}
