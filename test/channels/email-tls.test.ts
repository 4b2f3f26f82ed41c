import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { anAlert } from '../support/alert.ts';
import { makeCertificate } from '../support/certificate.ts';
import { ANNA, rawServer, rig } from './email-rig.ts';

/** A mail server with a certificate of its own, as Debian's Postfix has; gives its port. */
async function ownServer(options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    ...makeCertificate(),
    onAuth: (_auth, _session, done) => done(null, { user: 'known' }),
    onData(stream, _session, done) {
      stream.resume();
      stream.once('end', () => done());
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => new Promise<void>(closed => void server.close(() => closed())));
  return (server.server.address() as { port: number }).port;
}

describe('without a login', () => {
  test.each(['smtp', 'smtps'])('%s: any certificate is better than none', async scheme => {
    const port = await ownServer({ secure: scheme === 'smtps' });
    const { channel } = await rig({ url: `${scheme}://127.0.0.1:${port}` });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
    expect(await channel.ask!(5_000)).toBeNull();
  });

  test('a server that offers STARTTLS and cannot: it goes on in plain', async () => {
    let data = 'no';
    const port = await rawServer(socket => {
      socket.write('220 here\r\n');
      socket.on('data', chunk => {
        const said = String(chunk);
        if (data === 'yes' && !said.endsWith('\r\n.\r\n')) return;
        if (said.startsWith('EHLO')) socket.write('250-here\r\n250 STARTTLS\r\n');
        else if (said.startsWith('STARTTLS')) socket.write('454 4.7.0 TLS not available due to local problem\r\n');
        else if (said.startsWith('DATA')) {
          data = 'yes';
          socket.write('354 go on\r\n');
        } else socket.write('250 2.0.0 Ok\r\n');
      });
    });
    const { channel } = await rig({ url: `smtp://127.0.0.1:${port}` });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
  });

  test('SMTP_URL may ask for more', async () => {
    const port = await ownServer();
    const { channel } = await rig({ url: `smtp://127.0.0.1:${port}?tls.rejectUnauthorized=true` });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
  });
});

describe('with a login', () => {
  test.each(['smtp', 'smtps'])('%s: the certificate is verified, and the sentence names the settings', async scheme => {
    const port = await ownServer({ secure: scheme === 'smtps' });
    const { channel } = await rig({ url: `${scheme}://user:secret@127.0.0.1:${port}` });
    const reason =
      'the mail server has a certificate that nobody known vouches for: whoever runs Tocsin can trust it by NODE_EXTRA_CA_CERTS (a file with the certificate of its authority), or SMTP_URL can end in ?tls.rejectUnauthorized=false (any certificate)';
    expect(await channel.send(ANNA, anAlert())).toEqual({ kind: 'temporary_fault', reason, taken: 'no' });
    expect(await channel.ask!(5_000)).toBe(reason);
  });

  test('the setting that the sentence names works', async () => {
    const port = await ownServer();
    const { channel } = await rig({ url: `smtp://user:secret@127.0.0.1:${port}?tls.rejectUnauthorized=false` });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
  });
});
