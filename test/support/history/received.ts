import type { Received } from '../history.ts';
import type { Hook } from '../hook.ts';
import type { Mail } from '../smtp.ts';
import type { TwilioResource } from '../twilio-resource.ts';

/* What carriers of the tests took, for the checker. */

/** Mails about incidents; others, such as codes to sign in with, belong to no message. */
export function receivedMails(mails: readonly Mail[]): Received[] {
  return mails.flatMap(({ messageId, headers, envelope, takenAt }) => {
    if (!headers.some(({ key }) => key === 'x-tocsin-incident')) return [];
    const [, id = ''] = /^<([^@]+)@/.exec(messageId ?? '') ?? [];
    return envelope.to.map(address => ({ messageId: id, address, at: takenAt }));
  });
}

/** Texts, by the link that each carries. Of its calls Twilio does not say what they are for. */
export function receivedTexts(messages: readonly TwilioResource[]): Received[] {
  return messages.map(({ fields, at }) => ({
    messageId: deliveryOf(fields.Body ?? ''),
    address: fields.To ?? '',
    at: at - performance.timeOrigin,
  }));
}

/** Webhooks, by the id that a repeated one keeps. */
export function receivedWebhooks({ heard }: Pick<Hook, 'heard'>): Received[] {
  return heard.map(({ headers, heardAt }) => ({ messageId: String(headers['webhook-id']), address: '', at: heardAt }));
}

/** The message that a text was sent for, by the link that it carries. */
export function deliveryOf(text: string): string {
  const [, id] = /\/i\/([0-9a-z]{32})/.exec(text) ?? [];
  if (id === undefined) throw new Error('There is no link in the text.');
  return id;
}
