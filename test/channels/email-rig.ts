import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Channel } from '../../services/channels/channel.ts';
import { createMailReferences } from '../../services/channels/email/reference.ts';
import { createEmailChannel, type MailTimeouts } from '../../services/channels/email/send.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';

export const FROM = 'Tocsin <alarm@tocsin.test>';
export const ANNA = 'anna@example.com';
export const REFERENCES = createMailReferences('a secret');

/** A mail server and a channel that sends to it; both end with the test. `as`: user:password in the URL. */
export async function rig(
  options: Parameters<typeof startSmtp>[0] & {
    from?: string;
    bounce?: string;
    url?: string;
    as?: string;
    timeouts?: MailTimeouts;
    log?: Logger;
  } = {},
): Promise<{ smtp: Smtp; channel: Channel }> {
  const { from = FROM, bounce = null, as, timeouts, log = pino({ level: 'silent' }) } = options;
  const smtp = await startSmtp(options);
  const url = options.url ?? smtp.url.replace('//', as === undefined ? '//' : `//${as}@`);
  const channel = createEmailChannel({ url, from, bounce, references: REFERENCES, log, ...(timeouts && { timeouts }) });
  onTestFinished(async () => {
    await channel.close();
    await smtp.stop();
  });
  return { smtp, channel };
}

/** A server that says whatever it likes; gives its port. */
export async function rawServer(speak: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    speak(socket);
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export function header(mail: { headers: { key: string; value: string }[] }, name: string): string | undefined {
  return mail.headers.find(({ key }) => key === name)?.value;
}
