import type { Channel, MailChannel } from '../../services/channels/channel.ts';
import type { Alert, IncidentAlert } from '../../services/domain/alert.ts';
import type { AttemptOutcome, ChannelKind, DeliveryKind } from '../../services/domain/delivery.ts';
import { ATTEMPT_TIMEOUT_S } from '../../services/domain/delivery.ts';
import { recordNews } from '../../services/responder/progress.ts';
import { count, type Life, type Running, say, upAndStarted } from './life.ts';
import type { Sent, Taken } from './lived.ts';
import type { Plan } from './plan.ts';
import { time, within } from './virtual.ts';
import { CARRIED } from './world.ts';

/** How often carriers do what, of 100 messages; the rest is sent. */
const FAILS: Record<Plan['carriers'], { taken: Taken; of100: number }[]> = {
  good: [
    { taken: 'lost', of100: 6 },
    { taken: 'temporary', of100: 7 },
    { taken: 'permanent', of100: 3 },
    { taken: 'delivered', of100: 4 },
  ],
  bad: [
    { taken: 'lost', of100: 15 },
    { taken: 'temporary', of100: 30 },
    { taken: 'permanent', of100: 15 },
    { taken: 'delivered', of100: 5 },
  ],
};

/** How long a carrier takes for its answer, in milliseconds. */
const ANSWERS_MS = [5, 1_500] as const;

/** How late a carrier may report on a message that it took, in milliseconds: some before its answer is recorded. */
const REPORTS_MS = [0, 40_000] as const;

/** How many times more than a cut a process stands still that has just sent something. */
const STALLS = 4;

/** Gives a process its carriers; it has no worker for other channels, of which nobody here has an address. */
export function carriersFor(life: Life, running: Running): Record<ChannelKind, Channel> & { email: MailChannel } {
  return Object.fromEntries(CARRIED.map(kind => [kind, carrier(life, running, kind)])) as never;
}

const isOfIncident = (alert: Alert): alert is IncidentAlert => DELIVERY_KINDS.includes(alert.purpose as DeliveryKind);

const DELIVERY_KINDS: readonly DeliveryKind[] = ['alert', 'acknowledged', 'still_happening'];

function carrier(life: Life, running: Running, kind: ChannelKind): Channel {
  const of = running.process;
  return {
    kind,
    atOnce: 8,
    async close() {},
    send(address: string, alert: Alert): Promise<AttemptOutcome> {
      const taken = takes(life, running, alert);
      const sent = isOfIncident(alert) ? noted(life, running, { kind, address, taken }, alert) : null;
      const afterMs = taken === 'lost' ? ATTEMPT_TIMEOUT_S[kind] * 1_000 : life.dice.between(...ANSWERS_MS);
      const nth = life.lived.sends.length;
      return new Promise(resolve => {
        const give = () => resolve(outcomeOf(taken, `ref${nth}`));
        life.answers.push({ at: time.now + afterMs, of, what: `${kind} ${taken}`, give });
        if (sent !== null && kind !== 'email') reportLater(life, sent, `ref${nth}`);
      });
    },
  };
}

/** Decides what becomes of a message. What has just left a process that then stands still is what fences are for. */
function takes(life: Life, { process: of }: Running, alert: Alert): Taken {
  const { dice, plan } = life;
  if (isOfIncident(alert) && dice.chance(plan.harm * (plan.aim === 'in_flight' ? STALLS : 1))) {
    life.stall = of;
    return dice.pick(['sent', 'temporary', 'permanent']);
  }
  let roll = dice.roll() * 100;
  for (const { taken, of100 } of FAILS[plan.carriers]) {
    if (roll < of100) return taken;
    roll -= of100;
  }
  return 'sent';
}

function noted(
  life: Life,
  running: Running,
  { kind: channel, address, taken }: { kind: ChannelKind; address: string; taken: Taken },
  alert: IncidentAlert,
): Sent {
  const { deliveryId: delivery, attempt, incidentId: incident, purpose: kind } = alert;
  const leased = running.leased.get(`${delivery}/${attempt}`) ?? null;
  const by = running.process.name;
  const sent: Sent = { delivery, attempt, channel, kind, incident, address, at: time.now, by, leased, taken };
  life.lived.sends.push(sent);
  count(life, `carrier: ${taken}`);
  if (taken === 'lost' && running.inHands.delete(`${delivery}/${attempt}`)) {
    life.lived.harm.push({ what: 'answer lost', at: time.now, until: time.now, inHands: [delivery] });
  }
  return sent;
}

function outcomeOf(taken: Taken, providerRef: string): AttemptOutcome {
  switch (taken) {
    case 'sent':
    case 'delivered':
      return { kind: taken, providerRef };
    case 'permanent':
      return { kind: 'permanent_fault', reason: 'nobody lives here' };
    case 'lost':
    case 'temporary':
      return { kind: 'temporary_fault', reason: taken };
  }
}

/** What the carrier says later of a text or a call that it took: at most of these, now and then twice. */
function reportLater(life: Life, sent: Sent, providerRef: string): void {
  if (sent.taken !== 'sent' && sent.taken !== 'lost') return;
  const { dice } = life;
  const what = dice.pick(['arrived', 'arrived', 'arrived', 'fault', null] as const);
  if (what === null) return;
  const times = dice.chance(0.2) ? 2 : 1;
  const process = { name: 'carrier', version: 'this' as const, state: 'up' as const, wakesAt: 0, skewMs: 0 };
  for (let nth = 0; nth < times; nth++) {
    const at = time.now + dice.between(...REPORTS_MS);
    life.answers.push({ at, of: process, what: `report ${what}`, give: () => report(life, sent, what, providerRef) });
  }
}

function report(life: Life, sent: Sent, what: 'arrived' | 'fault', providerRef: string): void {
  const able = upAndStarted(life);
  if (able.length === 0) return;
  const { process: at, product } = life.dice.pick(able);
  const { delivery: deliveryId, attempt } = sent;
  life.lived.reports.push({ delivery: deliveryId, attempt, what });
  // What a carrier takes back is sent again.
  if (what === 'fault') {
    life.lived.harm.push({ what: 'taken back', at: time.now, until: time.now, inHands: [deliveryId] });
  }
  const news =
    what === 'arrived'
      ? { kind: 'arrived' as const, providerRef }
      : {
          kind: 'fault' as const,
          lasts: life.dice.pick(['temporary', 'permanent'] as const),
          reason: 'lost',
          providerRef,
        };
  const on = {
    store: { pool: product.reading } as never,
    carriers: CARRIED,
    log: { info() {}, warn() {}, error() {} } as never,
    scheduled: product.engine.scheduled,
    reported: product.engine.reported,
  };
  within(at, () => {
    recordNews(on, { deliveryId, attempt }, news, 'carrier').then(
      ({ outcome }) => say(life, `report ${what} of ${deliveryId.slice(0, 4)}/${attempt}: ${outcome}`),
      error => say(life, `report ${what} of ${deliveryId.slice(0, 4)}/${attempt} failed: ${error.message}`),
    );
  });
}
