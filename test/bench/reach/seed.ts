import { pino } from 'pino';
import { Contact, ContactChannel } from '../../../services/store/entities/contact.ts';
import { Location } from '../../../services/store/entities/location.ts';
import { Policy } from '../../../services/store/entities/policy.ts';
import { newId } from '../../../services/store/id.ts';
import { createSeal } from '../../../services/store/seal.ts';
import { openStore, type Store } from '../../../services/store/store.ts';
import { addAccount, addAlarm, addApiKey } from '../../support/owned.ts';

/** How many alarms of each kind are made. */
export interface ReachPlan {
  /** One text at once. */
  plain: number;
  /** A false-alarm window of 3 s, then one text. */
  windowed: number;
  /** One text at once, another to somebody else 3 s later. */
  stepped: number;
  /** `messagesLater` texts to as many people an hour later: what a backlog is made of. */
  crowded: number;
  messagesLater: number;
}

/** The alarms of each kind: `id` to trigger it, `n` by which the carrier knows it. */
export interface ReachSeed {
  apiKey: string;
  plain: BenchAlarm[];
  windowed: BenchAlarm[];
  stepped: BenchAlarm[];
  crowded: BenchAlarm[];
}

export interface BenchAlarm {
  id: string;
  n: number;
}

/** Longer than it takes to trigger them all: timers are measured while nothing else goes on. */
const LATER_S = 3;

type Manager = Store['orm']['em'];

/** Fills an empty database with one account whose alarms tell people by text. */
export async function seedReach(
  databaseUrl: string,
  on: { pepper: string; dataKey: Buffer },
  plan: ReachPlan,
): Promise<ReachSeed> {
  const store = await openStore(databaseUrl, pino({ level: 'silent' }));
  const seal = createSeal(on.dataKey);
  try {
    return await store.orm.em.fork().transactional(async manager => {
      const em = manager as Manager;
      // Ten thousand texts cost more than the usual ceiling.
      const accountId = addAccount(em, { name: 'Bench', plan: 'paid', dailySpendCeilingCents: 0 });
      const locationId = newId();
      em.create(Location, { accountId, id: locationId, name: 'Home', address: '1 Elm Street' });
      let phones = 0;
      const contact = () => {
        const contactId = newId();
        em.create(Contact, { accountId, id: contactId, name: 'Somebody' });
        const address = seal.seal(`+1202555${String(phones++).padStart(4, '0')}`);
        const own = { accountId, contactId, channel: 'text' as const, position: 0 };
        em.create(ContactChannel, { ...own, address, verifiedAt: new Date() });
        return { contactId, channels: ['text' as const] };
      };
      const policy = (steps: [delayS: number, people: number][]) => {
        const id = newId();
        const made = steps.map(([delayS, people]) => ({ delayS, contacts: Array.from({ length: people }, contact) }));
        em.create(Policy, { accountId, id, name: 'By text', steps: made });
        return id;
      };
      let n = 0;
      const alarms = (count: number, policyId: string, windowS = 0): BenchAlarm[] =>
        Array.from({ length: count }, () => {
          n++;
          const own = { accountId, locationId, name: `Alarm ${n}`, test: false };
          return { n, id: addAlarm(em, { ...own, modes: { away: { policyId, windowS } } }) };
        });
      return {
        apiKey: addApiKey(em, on.pepper, { accountId, label: 'Bench' }).secret,
        plain: alarms(plan.plain, policy([[0, 1]])),
        windowed: alarms(plan.windowed, policy([[0, 1]]), LATER_S),
        stepped: alarms(
          plan.stepped,
          policy([
            [0, 1],
            [LATER_S, 1],
          ]),
        ),
        crowded: alarms(plan.crowded, policy([[3_600, plan.messagesLater]])),
      };
    });
  } finally {
    await store.close();
  }
}
