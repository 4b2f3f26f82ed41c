import type { Alert } from '../../domain/alert.ts';
import { languageFor } from '../../words/language.ts';
import { canBeAcknowledged, pageOf, writeMessage } from '../message.ts';
import { LONGEST_TEXT } from './encrypt.ts';

/** The longest title, in characters. */
const LONGEST_TITLE = 250;

/**
 * Writes a message for a browser: declarative, so that Safari shows it without a script of ours (https://www.w3.org/TR/push-api/), with what our own
 * needs beside it (facade/worker/worker.js). As short as push services take it: the end of the text is what goes.
 */
export function contentOf(alert: Alert): string {
  const language = languageFor(alert.locale);
  const { subject, text } = writeMessage(alert);
  const page = pageOf(alert, language);
  const write = (body: string) =>
    JSON.stringify({
      // Where there is no page to open, it is no declarative message.
      ...(page !== null && { web_push: 8030, mutable: true }),
      notification: {
        title: cut(subject, LONGEST_TITLE),
        body,
        lang: language.words.language,
        dir: 'auto',
        // What is said of an incident takes the place of what was said of it before.
        tag: 'incidentId' in alert && alert.incidentId !== '' ? alert.incidentId : alert.deliveryId,
        ...(page !== null && { navigate: page.url }),
      },
      tocsin: {
        ...(canBeAcknowledged(alert) && {
          acknowledge: language.words.acknowledge,
          acknowledged: language.words.sms.youAcknowledged,
        }),
        ...(page !== null && { see: page.label }),
        // Whoever shows it says so there.
        ...('wayBack' in alert && alert.wayBack !== null && { attempt: alert.attempt }),
        loud: 'environment' in alert && alert.environment !== 'test' && alert.purpose !== 'acknowledged',
      },
    });
  const body = text.trimEnd();
  for (let most = body.length; ; most = Math.floor(most * 0.8)) {
    const content = write(cut(body, most));
    if (Buffer.byteLength(content) <= LONGEST_TEXT || most === 0) return content;
  }
}

function cut(text: string, most: number): string {
  const signs = [...text];
  return signs.length <= most ? text : `${signs.slice(0, Math.max(0, most - 1)).join('')}…`;
}
