import { describe, expect, onTestFinished, test } from 'vitest';
import { writeMessage } from '../../services/channels/message.ts';
import { createNtfyChannel } from '../../services/channels/ntfy/send.ts';
import type { Alert } from '../../services/domain/alert.ts';
import { A_WAY_BACK, aDrill, anAcknowledgement, anAlert, aStillHappening, aVerification } from '../support/alert.ts';
import { logInto } from '../support/log.ts';
import { NASTY } from '../support/nasty.ts';
import { startNtfy } from '../support/ntfy.ts';

const TOPIC = 'anna-phone_1';

describe('a push message arrives', () => {
  test('with title, text, the link and two buttons, as loud as it gets', async () => {
    const { ntfy, channel } = await rig();
    const outcome = await channel.send(TOPIC, anAlert());
    const [push] = ntfy.pushes;
    expect(outcome).toEqual({ kind: 'sent', providerRef: push?.id });
    const { subject, text } = writeMessage(anAlert());
    expect(push).toMatchObject({
      topic: TOPIC,
      title: subject,
      message: text.trimEnd(),
      priority: 5,
      tags: ['rotating_light'],
      click: A_WAY_BACK.pageUrl,
      sequence_id: anAlert().deliveryId,
      actions: [
        { action: 'view', label: 'View and acknowledge', url: A_WAY_BACK.pageUrl },
        { action: 'http', label: 'Acknowledge', url: `${A_WAY_BACK.pageUrl}/acknowledge`, method: 'POST', clear: true },
      ],
    });
  });

  test.each<[Alert, number, string[], string[]]>([
    [anAlert({ environment: 'test' }), 3, ['test_tube'], ['view', 'http']],
    [aStillHappening(), 5, ['rotating_light'], ['view', 'http']],
    [aStillHappening({ acknowledgedBy: 'Bob' }), 5, ['rotating_light'], ['view']],
    [anAcknowledgement(), 3, ['white_check_mark'], ['view']],
    [anAlert({ wayBack: null }), 5, ['rotating_light'], []],
    [aDrill(), 3, ['test_tube'], []],
    [aVerification(), 3, ['key'], []],
  ])('%#: $purpose', async (alert, priority, tags, actions) => {
    const { ntfy, channel } = await rig();
    expect(await channel.send(TOPIC, alert)).toMatchObject({ kind: 'sent' });
    const [push] = ntfy.pushes;
    expect(push).toMatchObject({ priority, tags, title: writeMessage(alert).subject });
    expect((push?.actions ?? []).map(({ action }) => action)).toEqual(actions);
  });

  test('in the language of the contact, buttons too', async () => {
    const { ntfy, channel } = await rig();
    await channel.send(TOPIC, anAlert({ locale: 'de-AT' }));
    expect(ntfy.pushes[0]?.actions?.map(({ label }) => label)).toEqual(['Ansehen und übernehmen', 'Ich übernehme']);
  });

  test('with the token of NTFY_TOKEN', async () => {
    const { ntfy, channel } = await rig({ token: 'tk_secret', sends: 'tk_secret' });
    expect(await channel.send(TOPIC, anAlert())).toMatchObject({ kind: 'sent' });
    expect(ntfy.pushes).toHaveLength(1);
  });

  test('on a topic of another server, which never gets the token', async () => {
    const { ntfy, channel } = await rig({ sends: 'tk_secret' });
    const elsewhere = await startNtfy();
    onTestFinished(elsewhere.stop);
    expect(await channel.send(`${elsewhere.url}/my-topic`, anAlert())).toMatchObject({ kind: 'sent' });
    expect(elsewhere.pushes[0]?.topic).toBe('my-topic');
    expect(elsewhere.heard[0]?.headers.authorization).toBeUndefined();
    expect(ntfy.heard).toEqual([]);
  });

  test('after 800 ms too', async () => {
    const { ntfy, channel } = await rig();
    ntfy.behave(800);
    expect(await channel.send(TOPIC, anAlert())).toMatchObject({ kind: 'sent' });
  });
});

describe('what does not arrive says why', () => {
  test.each([
    ['no token', {}, 'the push server refused the login: forbidden'],
    ['a wrong token', { sends: 'tk_wrong' }, 'the push server refused the login: unauthorized'],
  ])('%s: permanent', async (_what, { sends }: { sends?: string }, reason) => {
    const { ntfy, channel } = await rig({ token: 'tk_secret', ...(sends === undefined ? {} : { sends }) });
    expect(await channel.send(TOPIC, anAlert())).toEqual({ kind: 'permanent_fault', reason });
    expect(ntfy.pushes).toEqual([]);
  });

  test.each([
    [40024, 'invalid request', 'permanent_fault', 'the push server refused: 400: invalid request'],
    [40401, 'page not found', 'permanent_fault', 'the push server knows no such topic: page not found'],
    [
      41301,
      'entity too large',
      'permanent_fault',
      'the push server says that the message is too long: entity too large',
    ],
    [
      42908,
      'daily quota reached',
      'temporary_fault',
      'the push server takes no more messages for now: daily quota reached',
    ],
    [50001, 'internal server error', 'temporary_fault', 'the push server refused: 500: internal server error'],
    [50701, 'no rate visitor', 'temporary_fault', 'nobody has subscribed to the topic: no rate visitor'],
  ] as const)('%i %s: %s', async (code, error, kind, reason) => {
    const { ntfy, channel } = await rig();
    ntfy.refuse(code, error);
    expect(await channel.send(TOPIC, anAlert())).toEqual({ kind, reason });
  });

  test.each([
    ['hang', 'the push server did not answer in time'],
    ['reset', 'the push server broke off'],
    ['garbage', 'the push server answered something that cannot be read'],
    ['endless', 'the push server answered something that cannot be read'],
  ] as const)('%s: temporary, and heard once', async (mode, reason) => {
    const { ntfy, channel } = await rig();
    ntfy.behave(mode);
    expect(await channel.send(TOPIC, anAlert())).toMatchObject({ kind: 'temporary_fault', reason });
    expect(ntfy.heard).toHaveLength(1);
    ntfy.behave('ok');
    expect(await channel.send(TOPIC, anAlert())).toMatchObject({ kind: 'sent' });
    expect(ntfy.pushes.map(({ sequence_id }) => sequence_id)).toEqual([anAlert().deliveryId]);
  });

  test('a server that is not there: temporary', async () => {
    const { ntfy, channel } = await rig();
    await ntfy.stop();
    expect(await channel.send(TOPIC, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the push server could not be reached',
      carrier: 'away',
      taken: 'no',
    });
  });

  test.each([
    ['an error that is no text', '{"error":{"a":1}}', 'the push server refused: 400'],
    ['an error that is not clean', '{"error":"no\\r\\n\\u202e<b>"}', 'the push server refused: 400: no <b>'],
    ['a body that is no JSON', '<html>', 'the push server refused: 400'],
    ['a list', '[1]', 'the push server refused: 400'],
    ['null', 'null', 'the push server refused: 400'],
  ])('%s', async (_what, body, reason) => {
    const { ntfy, channel } = await rig();
    ntfy.behave({ status: 400, body });
    expect(await channel.send(TOPIC, anAlert())).toEqual({ kind: 'permanent_fault', reason });
  });
});

describe('an address that is none is refused before anybody hears of it', () => {
  test.each([
    ['', 'the address is not allowed: it is no URL'],
    ['a topic', 'the address is not allowed: it is no URL'],
    ['a'.repeat(65), 'the address is not allowed: it is no URL'],
    ['topic\r\nX-Evil: 1', 'the address is not allowed: it must begin with https://'],
    ['../admin', 'the address is not allowed: it is no URL'],
    ['http://8.8.8.8/topic', 'the address is not allowed: it must begin with https://'],
    ['https://169.254.169.254/topic', 'the address is not allowed: it does not lead to a public address'],
    ['https://8.8.8.8/', 'the contact has a URL that names no topic'],
    ['https://8.8.8.8/topic/%2e%2e%2f', 'the contact has a URL that names no topic'],
  ])('%j', async (address, reason) => {
    const { ntfy, channel } = await rig();
    expect(await channel.send(address, anAlert())).toEqual({ kind: 'permanent_fault', reason });
    expect(ntfy.heard).toEqual([]);
  });
});

describe.each(NASTY)('what an owner wrote stays text: %s', (_what, written) => {
  test.each([
    anAlert({ sourceName: written, modeName: written, locationName: written, locationAddress: written }),
    anAcknowledgement({ acknowledgedBy: written, contactName: written }),
    aVerification({ accountName: written }),
  ])('$purpose', async alert => {
    const { ntfy, channel } = await rig();
    expect(await channel.send(TOPIC, alert)).toMatchObject({ kind: 'sent' });
    const { title, message } = ntfy.pushes[0]!;
    expect(title).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(message.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(ntfy.pushes[0]?.topic).toBe(TOPIC);
    expect((title + message).isWellFormed()).toBe(true);
  });
});

test('nothing personal and no secret is logged, and it takes one line', async () => {
  const lines: string[] = [];
  const { ntfy, channel } = await rig({ sends: 'tk_secret', lines });
  await channel.send(TOPIC, anAlert());
  expect(lines).toEqual([]);
  ntfy.refuse(50001, 'House in Example Street');
  await channel.send(TOPIC, anAlert());
  expect(lines).toHaveLength(1);
  for (const hidden of [TOPIC, 'Anna', 'House', 'Example Street', 'tk_secret', '/i/'])
    expect(lines.join('')).not.toContain(hidden);
});

/** A push server and a channel that sends to it. `token`: what the server wants; `sends`: what the channel has. */
async function rig({ token, sends, lines }: { token?: string; sends?: string; lines?: string[] } = {}) {
  const ntfy = await startNtfy(token === undefined ? {} : { token });
  const log = logInto(lines);
  const settings = { url: ntfy.url, token: sends ?? null };
  const channel = createNtfyChannel({ settings, outboundNetworks: ['127.0.0.0/8'], log, timeoutMs: 2_000 });
  onTestFinished(async () => {
    await channel.close();
    await ntfy.stop();
  });
  return { ntfy, channel };
}
