import { describe, expect, test } from 'vitest';
import { isSigned, type SignatureVersion, signatureHeaders } from '../../services/channels/standard-webhooks.ts';
import { signedBy, signedFor } from '../support/hook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 's').toString('base64')}`;

describe('signatures are those of Standard Webhooks, and cover the path besides', () => {
  const url = 'https://example.com/hook?of=anna';

  test('the example of the specification', () => {
    const body = '{"event_type":"ping","data":{"success":true}}';
    const signed = { secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl', id: 'msg_loFOjxBNrRLzqYUf', url, body };
    expect(signatureHeaders(signed, 1_731_705_121_000)).toEqual({
      'webhook-id': 'msg_loFOjxBNrRLzqYUf',
      'webhook-timestamp': '1731705121',
      'webhook-signature': expect.stringMatching(/^v1,rAvfW3dJ\/X\/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0= v2,\S{44}$/),
    });
  });

  const NOW = 1_800_000_000_000;

  test('is signed with both secrets while one is being changed: a receiver checks by either', () => {
    const former = `whsec_${Buffer.alloc(32, 'f').toString('base64')}`;
    const headers = signatureHeaders({ secret: SECRET, also: [former], id: 'msg_1', url, body: '{}' }, NOW);
    const isBelieved = (secret: string, least: SignatureVersion) =>
      isSigned({ secret, url, headers, body: '{}', least }, NOW);
    for (const least of ['v1', 'v2'] as const) {
      expect([isBelieved(SECRET, least), isBelieved(former, least)]).toEqual([true, true]);
      expect(isBelieved(`whsec_${Buffer.alloc(32, 'o').toString('base64')}`, least)).toBe(false);
    }
  });

  const body = '{"a":1}';
  const right = signedBy(SECRET, body, { at: NOW / 1000 });

  test.each<[string, Record<string, string>, string, 'believed' | 'not believed']>([
    ['as it came', right, body, 'believed'],
    [
      'one of several',
      { ...right, 'webhook-signature': `v1,AAAA v2,x ${right['webhook-signature']}` },
      body,
      'believed',
    ],
    ['4 minutes old', signedBy(SECRET, body, { at: NOW / 1000 - 240 }), body, 'believed'],
    ['6 minutes old', signedBy(SECRET, body, { at: NOW / 1000 - 360 }), body, 'not believed'],
    ['6 minutes ahead', signedBy(SECRET, body, { at: NOW / 1000 + 360 }), body, 'not believed'],
    ['another body', right, '{"a":2}', 'not believed'],
    ['another id', { ...right, 'webhook-id': 'msg_2' }, body, 'not believed'],
    ['another time', { ...right, 'webhook-timestamp': String(NOW / 1000 + 1) }, body, 'not believed'],
    ['another secret', signedBy('whsec_AAAA', body, { at: NOW / 1000 }), body, 'not believed'],
    [
      'another version',
      { ...right, 'webhook-signature': right['webhook-signature'].replace('v1', 'v2') },
      body,
      'not believed',
    ],
    ['a time that is none', { ...right, 'webhook-timestamp': 'NaN' }, body, 'not believed'],
    [
      'a signature cut short',
      { ...right, 'webhook-signature': right['webhook-signature'].slice(0, -9) },
      body,
      'not believed',
    ],
    ['nothing', {}, body, 'not believed'],
  ])('%s: %s', (_what, headers, sent, verdict) => {
    expect(judged({ headers, body: sent, least: 'v1' })).toBe(verdict);
  });

  const withPath = signedFor(url, SECRET, body, { at: NOW / 1000 });

  test.each<[string, Partial<Parameters<typeof judged>[0]>, 'believed' | 'not believed']>([
    ['as it came', {}, 'believed'],
    ['as it came, to who takes both', { least: 'v1' }, 'believed'],
    [
      'beside others',
      { headers: { ...withPath, 'webhook-signature': `v1,AAAA ${withPath['webhook-signature']}` } },
      'believed',
    ],
    ['another path', { url: 'https://example.com/hook2?of=anna' }, 'not believed'],
    ['another query', { url: 'https://example.com/hook?of=ben' }, 'not believed'],
    ['another body', { body: '{"a":2}' }, 'not believed'],
    ['another id', { headers: { ...withPath, 'webhook-id': 'msg_2' } }, 'not believed'],
    ['without its path', { headers: right }, 'not believed'],
    [
      'relabelled',
      { headers: { ...right, 'webhook-signature': right['webhook-signature'].replace('v1', 'v2') } },
      'not believed',
    ],
    ['nothing', { headers: {} }, 'not believed'],
  ])('with the path, %s: %s', (_what, request, verdict) => {
    expect(judged({ headers: withPath, body, least: 'v2', ...request })).toBe(verdict);
  });

  function judged(request: { headers: Record<string, string>; body: string; least: SignatureVersion; url?: string }) {
    return isSigned({ secret: SECRET, url, ...request }, NOW) ? 'believed' : 'not believed';
  }
});
