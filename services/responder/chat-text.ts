import type { RespondingDelivery } from '../store/statements/responder.ts';
import { pageOf } from './page.ts';

/** Writes how an incident stands for whoever has a message of it in a chat, as their page does: what fired, who has it, and the facts. */
export function chatTextOf(delivery: RespondingDelivery): string {
  const { title = '', status = '', facts = [] } = pageOf(delivery, []);
  const lines = facts.map(({ label = '', value = '' }) => `${label}: ${value}`);
  return [`${title}\n${status}`, lines.join('\n')].join('\n\n');
}
