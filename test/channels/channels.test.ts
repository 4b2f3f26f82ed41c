import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createChannels } from '../../services/channels/channels.ts';
import { writePlainText } from '../../services/channels/message.ts';
import { CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import { anAlert } from '../support/alert.ts';
import { startSmtp } from '../support/smtp.ts';

const ADDRESSES: Record<ChannelKind, string> = {
  text: '+4366012345678',
  call: '+4366012345678',
  email: 'anna@example.com',
  push: 'device-token',
  webhook: 'https://anna.example.com/hook',
};

describe('without SMTP_URL nothing has a carrier', () => {
  test.each(CHANNELS)('%s goes to the outbox, says so and is never sent', async kind => {
    const { log, lines } = heardLog();
    const channels = createChannels(carriers(null), log);
    onTestFinished(channels.close);
    const outcome = await channels.byKind[kind].send(ADDRESSES[kind], anAlert());
    expect(outcome).toEqual({
      kind: 'kept',
      reason: expect.stringContaining(`no carrier is configured for ${kind}`),
      message: writePlainText(anAlert()),
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(anAlert().deliveryId);
    for (const personal of [ADDRESSES[kind], 'Anna', 'House', 'Example Street'])
      expect(lines[0]).not.toContain(personal);
  });

  test('the outbox of email names the setting that is missing', async () => {
    const channels = createChannels(carriers(null), pino({ level: 'silent' }));
    onTestFinished(channels.close);
    expect(channels.unconfigured).toEqual([...CHANNELS]);
    expect(await channels.byKind.email.send('anna@example.com', anAlert())).toMatchObject({
      reason: 'no carrier is configured for email: set SMTP_URL to send it',
    });
  });
});

test('with SMTP_URL email is sent and the others still go to the outbox', async () => {
  const smtp = await startSmtp();
  const channels = createChannels(carriers(smtp.url), pino({ level: 'silent' }));
  onTestFinished(async () => {
    await channels.close();
    await channels.close();
    await smtp.stop();
  });
  expect(channels.unconfigured).toEqual(['text', 'call', 'push', 'webhook']);
  for (const kind of CHANNELS) {
    const { kind: outcome } = await channels.byKind[kind].send(ADDRESSES[kind], anAlert());
    expect(outcome).toBe(kind === 'email' ? 'sent' : 'kept');
  }
  expect(smtp.mails).toHaveLength(1);
});

test('every kind has its channel', () => {
  const { byKind } = createChannels(carriers(null), pino({ level: 'silent' }));
  expect(CHANNELS.map(kind => byKind[kind].kind)).toEqual([...CHANNELS]);
});

/** A log that keeps its lines. */
function heardLog() {
  const lines: string[] = [];
  return { lines, log: pino({ base: null }, { write: line => lines.push(line) }) };
}
