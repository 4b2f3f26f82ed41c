import { dataMessage, KEEP_ALIVE, type Kind } from './protocol.ts';

/**
 * Returns a complete frame (RFC 6455, section 5.2), to be built once and written as it is: frames from the server are
 * not masked, and without compression none depends on earlier ones (REALTIME.md 5.2 and 5.3).
 */
export function textFrame(text: string): Buffer {
  return frame(0x1, Buffer.from(text, 'utf8'));
}

/** A keep-alive for the client, and a ping, whose pong shows that somebody is there (REALTIME.md 5.5). */
export const KEEP_ALIVE_AND_PING = Buffer.concat([textFrame(KEEP_ALIVE), frame(0x9, Buffer.alloc(0))]);

/** Returns the signal of one kind for one subscription. */
export function signalFrame(id: string, kind: Kind): Buffer {
  return textFrame(dataMessage(id, kind));
}

/** Puts a whole message in one frame. Our messages are short: 64 KB and more do not occur. */
function frame(opcode: 0x1 | 0x9, payload: Buffer): Buffer {
  const { length } = payload;
  if (length > 0xffff) throw new RangeError(`A frame of ${length} bytes is too long.`);
  const header = length < 126 ? [0x80 | opcode, length] : [0x80 | opcode, 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), payload]);
}
