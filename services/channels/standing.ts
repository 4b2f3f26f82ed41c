import { type AttemptOutcome, CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import type { FailingCarrier } from '../domain/reach.ts';
import { aheadByMs } from '../process/wall-clock.ts';
import type { Asking } from './asking.ts';
import type { AskedChannel, Route } from './channel.ts';

/** An answer of a carrier that is younger is good enough, and one that is not older is until the next one comes, in milliseconds. */
const FRESH_MS = 20_000;
const KNOWN_MS = 120_000;

/** How long whoever asks waits where nothing is known, in milliseconds: a mail server that hangs is told the next time. */
const WAITS_MS = 500;

/** How long a carrier may take to answer, in milliseconds. */
const ASK_MS = 8_000;

/**
 * How long what a message met stands, in milliseconds, unless another one goes: a carrier may take a login and no message, and of several
 * processes another may send the next.
 */
const MET_MS = 15 * 60_000;

/** What carriers last did, as far as this process has seen: to its messages, and when they were asked. */
export interface CarrierStanding {
  /** Returns a carrier that is watched as it sends. */
  watched(route: Route): Route;
  /**
   * Returns the channels of which all carriers fail. `ask`: asks them all unless that was done within 20 s, and waits half a second for it at most, and
   * only where the last answer is older than two minutes.
   */
  failing(how: 'ask' | 'as_known'): Promise<ReadonlyMap<ChannelKind, FailingCarrier>>;
}

interface Met extends FailingCarrier {
  /** By this process's own count of time, in milliseconds. */
  until: number;
}

/** `carriers`: of each channel; `ask`: asks them all (asking.ts). */
export function createCarrierStanding(
  carriers: Readonly<Record<ChannelKind, readonly Route[]>>,
  ask: Asking,
): CarrierStanding {
  /** What carriers said when they were asked, and what messages met: by channel and carrier. */
  const said = { asked: new Map<string, FailingCarrier>(), met: new Map<string, Met>() };
  let askedAt = Number.NEGATIVE_INFINITY;
  let awaited: Promise<void> = Promise.resolve();

  function note(of: 'asked' | 'met', name: string, problem: string | null): void {
    if (problem === null) {
      said[of].delete(name);
      return;
    }
    const since = said[of].get(name)?.since ?? Date.now() + aheadByMs();
    // What follows the colon is the carrier's own text, with addresses that only operators need (`tocsin doctor` shows it).
    const carrier = { since, problem: problem.split(': ', 1)[0]! };
    if (of === 'asked') said.asked.set(name, carrier);
    else said.met.set(name, { ...carrier, until: performance.now() + MET_MS });
  }

  async function askAll(): Promise<void> {
    for (const [channel, { each }] of Object.entries(await ask(ASK_MS)) as [ChannelKind, AskedChannel][]) {
      for (const { carrier, ...asked } of each) {
        if (asked.state !== 'not_asked')
          note('asked', nameOf(channel, carrier), asked.state === 'fails' ? asked.problem : null);
      }
    }
  }

  function failing(): Map<ChannelKind, FailingCarrier> {
    const found = CHANNELS.flatMap(channel => {
      const each = carriers[channel].map(({ carrier }) => standingOf(nameOf(channel, carrier)));
      // One that stands by carries what the others do not. Of those that all fail the last one to begin with it says since when.
      if (each.length === 0 || each.some(one => one === null)) return [];
      return [[channel, each.reduce((last, one) => (one!.since > last!.since ? one : last))!] as const];
    });
    return new Map(found);
  }

  function standingOf(name: string): FailingCarrier | null {
    const asked = said.asked.get(name);
    const met = said.met.get(name);
    if (asked !== undefined) return asked;
    return met !== undefined && met.until > performance.now() ? { since: met.since, problem: met.problem } : null;
  }

  return {
    watched: ({ carrier, channel }) => ({
      carrier,
      channel: {
        ...channel,
        async send(address, alert, within) {
          const outcome = await channel.send(address, alert, within);
          const problem = saidOf(outcome);
          // A push may go to a server of its receiver's own.
          const isOurs = !/^https?:/i.test(address);
          if (problem !== 'nothing' && isOurs) note('met', nameOf(channel.kind, carrier), problem);
          return outcome;
        },
      },
    }),
    async failing(how) {
      const ageMs = performance.now() - askedAt;
      if (how === 'ask' && ageMs > FRESH_MS) {
        askedAt = performance.now();
        const asking = askAll().catch(() => {});
        if (ageMs > KNOWN_MS) awaited = Promise.race([asking, pause(WAITS_MS)]);
      }
      if (how === 'ask') await awaited;
      return failing();
    },
  };
}

function nameOf(channel: ChannelKind, carrier: string): string {
  return `${channel} ${carrier}`;
}

/** What an attempt says of the carrier itself: why it is away; null: it works. */
function saidOf(outcome: AttemptOutcome): string | null | 'nothing' {
  if (outcome.kind === 'sent' || outcome.kind === 'delivered') return null;
  return 'carrier' in outcome && outcome.carrier === 'away' ? outcome.reason : 'nothing';
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms).unref();
  });
}
