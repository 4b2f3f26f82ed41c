import type { MessageThere } from '../channels/channel.ts';
import { copiedContact } from '../domain/alert.ts';
import type { RespondingDelivery } from '../store/statements/responder.ts';
import { languageFor } from '../words/language.ts';
import type { Links } from './links.ts';
import { pageOf } from './page.ts';

/**
 * Writes how an incident stands for whoever has a message of it in a chat, as their page does: what fired, who has it, and the facts. It leads to
 * their page until the incident is over: whoever acknowledged still has it to close.
 */
export function chatTextOf(links: Links, delivery: RespondingDelivery): Pick<MessageThere, 'text' | 'page'> {
  const { title = '', status = '', facts = [] } = pageOf(delivery);
  const { incident, contactId, step, id, attempt } = delivery;
  const { words } = languageFor(copiedContact(incident.copy, contactId, step)?.locale ?? '');
  const url = incident.closedAt === null ? (links.wayBackOf(id, attempt)?.pageUrl ?? null) : null;
  const lines = facts.map(({ label = '', value = '' }) => `${label}: ${value}`);
  if (url !== null) lines.push(`${words.labels.page}: ${url}`);
  const text = [`${title}\n${status}`, lines.join('\n')].join('\n\n');
  return { text, page: url === null ? null : { url, label: words.mail.see } };
}
