import { z } from 'zod';
import { clean, withoutLinks } from '../../process/text.ts';
import { PHONE_NUMBER } from '../../process/vocabulary.ts';
import type { CarrierAnswer, CarrierCallback, CarrierNews, CarrierRequest } from '../channel.ts';
import { withoutNumbers } from '../http-words.ts';
import { isSigned } from '../standard-webhooks.ts';
import { sayOnCall, writeBack, writeVoiceMessage } from '../voice.ts';
import type { GatewaySettings } from './send.ts';

const status = z.object({
  state: z.enum(['delivered', 'failed', 'busy']),
  reason: z.string().optional(),
  ref: z.string().optional(),
});
const key = z.object({ key: z.string().regex(/^[0-9*#]?$/) });
const reply = z.object({ from: z.string().regex(PHONE_NUMBER), text: z.string() });

/** How much of a gateway's reason and of its message id is kept, in characters. */
const TEXT_LENGTH = 200;

/**
 * Reads and answers a gateway's own requests: JSON, signed with GATEWAY_SECRET like Standard Webhooks, in `v2`, which
 * covers the path, because the path names the message (`v1` is enough if GATEWAY_SIGNATURE says so). A request older
 * than five minutes counts as forged.
 *
 * It posts to `statusUrl` {`state`: `delivered`, `failed` or `busy`, `reason`?, `ref`?}, to `keyUrl` {`key`: one of 0-9
 * * #, or empty when none was pressed in time}, and every text sent to its number to `/carrier/gateway/text` {`from`
 * (E.164), `text`}. The answer is `{"do": "nothing"}`; on a call `{"do": "speak", "language", "voice", "sentences",
 * "afterwards": "hang_up"}`, or `"afterwards": "await_key"` with `menu`, `notUnderstood` and `goodbye`; to a text
 * `{"do": "write", "text"}`.
 */
export function createGatewayCallback({
  secret,
  signature: least,
}: Pick<GatewaySettings, 'secret' | 'signature'>): CarrierCallback {
  return {
    read(request) {
      const { url, headers, body } = request;
      if (!isSigned({ secret, url, headers, body, least })) return { kind: 'forged' };
      const read = READERS.get(request.topic);
      if (read === undefined) return unreadable(`no such topic: it is none of ${[...READERS.keys()].join(', ')}`);
      return read(request);
    },
    answer: answer => ({ status: 200, contentType: 'application/json', body: JSON.stringify(contentOf(answer)) }),
  };
}

const READERS: ReadonlyMap<string, (request: CarrierRequest) => CarrierNews> = new Map([
  ['status', readStatus],
  ['voice', () => ({ kind: 'answered' })],
  ['key', readKey],
  ['text', readText],
]);

function readStatus({ url, body }: CarrierRequest): CarrierNews {
  const read = parse(status, body);
  if (read === null)
    return unreadable('it takes {"state": "delivered", "failed" or "busy", "reason"?, "ref"?} as JSON');
  const providerRef = clean(read.ref ?? '', TEXT_LENGTH) || deliveryIn(url);
  const reason = withoutNumbers(clean(withoutLinks(read.reason ?? ''), TEXT_LENGTH));
  switch (read.state) {
    case 'delivered':
      return { kind: 'arrived', providerRef };
    case 'busy':
      return { kind: 'fault', providerRef, lasts: 'temporary', reason: 'busy' };
    case 'failed':
      return { kind: 'fault', providerRef, lasts: 'permanent', reason: reason || 'not delivered' };
  }
}

function readKey({ body }: CarrierRequest): CarrierNews {
  const read = parse(key, body);
  return read === null
    ? unreadable('it takes {"key": one of 0-9 * # or empty} as JSON')
    : { kind: 'key', key: read.key };
}

function readText({ body }: CarrierRequest): CarrierNews {
  const read = parse(reply, body);
  if (read === null) return unreadable('it takes {"from": a number in E.164, "text"} as JSON');
  return { kind: 'reply', ...read };
}

function contentOf(answer: CarrierAnswer): Record<string, unknown> {
  switch (answer.kind) {
    case 'noted':
      return { do: 'nothing' };
    case 'speak_alert': {
      const { language, sentences, menu, notUnderstood, goodbye } = writeVoiceMessage(answer.alert, 'come_back');
      const first = answer.preface === 'not_understood' ? [notUnderstood] : [];
      const keys = { menu, notUnderstood, goodbye };
      return {
        do: 'speak',
        language,
        voice: answer.alert.voice,
        sentences: [...first, ...sentences],
        afterwards: 'await_key',
        ...keys,
      };
    }
    case 'speak': {
      const { language, sentence } = sayOnCall(answer.said, answer);
      return { do: 'speak', language, voice: answer.voice, sentences: [sentence], afterwards: 'hang_up' };
    }
    case 'write':
      return { do: 'write', text: writeBack(answer.said, answer) };
  }
}

/** The delivery comes first in the reference at the end of a status URL. */
function deliveryIn(url: string): string {
  return url.split('/').at(-2)?.slice(0, 32) ?? '';
}

function parse<Content>(schema: z.ZodType<Content>, body: string): Content | null {
  try {
    return schema.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}

function unreadable(problem: string): CarrierNews {
  return { kind: 'unreadable', problem };
}
