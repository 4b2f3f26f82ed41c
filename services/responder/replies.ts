import { Code, ConnectError } from '@connectrpc/connect';
import type { CarrierNews, TextSaid } from '../channels/channel.ts';
import { type ContactCopy, HANDED_OVER_STEP } from '../domain/escalation.ts';
import { LINK_LASTS_MS } from '../domain/page.ts';
import { isSameNumber, readReply, STRANGERS_WRITTEN_BACK, WRITTEN_BACK } from '../domain/reply.ts';
import { createRateLimit } from '../limits/times.ts';
import { SealFault } from '../store/seal.ts';
import { incidentsByReplyCode, type RepliedIncident } from '../store/statements/responder.ts';
import { acknowledgeAs, nameOf } from './act.ts';
import type { ResponderOptions } from './options.ts';
import { prove } from './proof.ts';
import { NOTHING, type Received } from './received.ts';

/** How people write back: over which channel, and whether what they write from is an address that they are told at. */
export interface Way {
  channel: 'text' | 'chat';
  via: 'reply' | 'chat';
  isTheirs(address: string, from: string): boolean;
}

const BY_TEXT: Way = { channel: 'text', via: 'reply', isTheirs: isSameNumber };

/** In a chat, where an address names the carrier too. */
export const IN_CHAT: Way = { channel: 'chat', via: 'chat', isTheirs: (address, from) => address === from };

/** A stranger's language is unknown. */
const STRANGERS_LOCALE = 'en';

/**
 * Answers what people write back, by SMS or in a chat (DECISIONS.md "Acknowledge"). A code alone acknowledges nothing: it must come from
 * the number of a contact of that incident. Everybody else gets the same answer whether the code exists or not.
 */
export function createReplies(
  deps: Pick<ResponderOptions, 'store' | 'seal' | 'log' | 'bus' | 'nudge'>,
  way: Way = BY_TEXT,
) {
  const writtenBack = createRateLimit(WRITTEN_BACK);
  const strangers = createRateLimit(STRANGERS_WRITTEN_BACK);

  /** Decides whether an SMS goes back to a number. */
  function goesBack(from: string, { outcome }: Received): 'goes' | 'enough' {
    const now = performance.now();
    if (writtenBack.take(from, now).kind === 'too_many') return 'enough';
    if (outcome !== 'unknown_code' && outcome !== 'not_understood') return 'goes';
    return strangers.take('all', now).kind === 'taken' ? 'goes' : 'enough';
  }

  async function acknowledge(code: string, from: string, signal: AbortSignal): Promise<Received> {
    const meant = (await incidentsByReplyCode(deps.store.pool, code, LINK_LASTS_MS / 1000))
      .map(incident => ({ incident, written: writer(incident, from) }))
      .find(one => one.written !== null);
    if (!meant?.written) return write('unknown_code', STRANGERS_LOCALE, { code });
    const { incident } = meant;
    const { contact, step } = meant.written;
    const acting = { ...incident, contactId: contact.id, step };
    const outcome = await acknowledgeAs(deps, acting, way.via, signal).catch(error => {
      if (ConnectError.from(error).code !== Code.DeadlineExceeded) throw error;
      return 'try_again' as const;
    });
    await prove(deps, { ...acting, channel: way.channel });
    const by = outcome === 'acknowledged' ? nameOf(acting) : await acknowledgedBy(incident, code);
    const said = outcome === 'acknowledged' && incident.incident.environment === 'drill' ? 'drill_answered' : outcome;
    return {
      ...write(said, contact.locale, { code, by }),
      ...(said === 'drill_answered' && { outcome: 'acknowledged' }),
    };
  }

  /** Returns who acknowledged it: somebody else may just have been faster. */
  async function acknowledgedBy({ accountId, incident }: RepliedIncident, code: string): Promise<string> {
    if (incident.acknowledgedBy !== null) return incident.acknowledgedBy;
    const now = await incidentsByReplyCode(deps.store.pool, code, LINK_LASTS_MS / 1000);
    const same = now.find(one => one.accountId === accountId && one.incident.id === incident.id);
    return same?.incident.acknowledgedBy ?? '';
  }

  /**
   * Returns the contact of an incident who gets SMS at this number, and a step that told them; null if none. An unverified number does not count:
   * with it another account could intercept replies meant for somebody else's incident.
   */
  function writer({ incident }: RepliedIncident, from: string): { contact: ContactCopy; step: number } | null {
    const planned = incident.copy.policy?.steps.flatMap(({ contacts }) => contacts) ?? [];
    const told = [
      ...planned.map(contact => ({ contact, step: 0 })),
      ...(incident.copy.handedTo ?? []).toReversed().map(contact => ({ contact, step: HANDED_OVER_STEP })),
    ];
    return told.find(({ contact }) => isToldAt(contact, from)) ?? null;
  }

  function isToldAt({ addresses }: ContactCopy, from: string): boolean {
    return addresses.some(
      ({ channel, address, verification }) =>
        channel === way.channel && verification !== 'not_verified' && way.isTheirs(opened(address), from),
    );
  }

  /** A number that cannot be decrypted matches nobody: other incidents with the same code must still work. */
  function opened(address: string): string {
    try {
      return deps.seal.open(address);
    } catch (error) {
      if (!(error instanceof SealFault)) throw error;
      deps.log.error({ err: error }, 'the number of a contact cannot be decrypted');
      return '';
    }
  }

  return {
    async answer(
      { from, text }: Pick<Extract<CarrierNews, { kind: 'reply' }>, 'from' | 'text'>,
      signal: AbortSignal,
    ): Promise<Received> {
      const reply = readReply(text);
      // Carriers of texts act on it; in a chat nobody does, and silence would look as if somebody had.
      if (reply.kind === 'opt_out' && way.channel === 'text') return NOTHING;
      const received =
        reply.kind === 'acknowledge'
          ? await acknowledge(reply.code, from, signal)
          : write('not_understood', STRANGERS_LOCALE, { code: '' });
      return goesBack(from, received) === 'goes' ? received : { ...received, answer: { kind: 'noted' } };
    },
  };
}

function write(said: TextSaid, locale: string, { code, by = '' }: { code: string; by?: string }): Received {
  const outcome = said === 'try_again' ? 'nothing' : said;
  return { outcome, answer: { kind: 'write', said, locale, by, code } };
}
