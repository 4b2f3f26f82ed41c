import { allOrNone, type Carrier } from '../../services/channels/carrier.ts';
import { writeMessage } from '../../services/channels/message.ts';
import { readSetting, webUrl } from '../../services/process/settings.ts';

/** What it took, in order; `statusUrl`: where it tells what became of it. */
export interface Pigeon {
  to: string;
  subject: string;
  statusUrl: string;
}

/** How the made-up carrier is set up, and what it has done. */
export interface Loft {
  pigeons: Pigeon[];
  /** What is wrong with it; null: nothing. */
  problem: string | null;
  /** With what its callbacks are signed. */
  ring: string;
}

/** A carrier as one folder beside those of services/channels would have it: it carries push messages. */
export const pigeons: Carrier<'pigeon', Loft> = {
  name: 'pigeon',
  title: { en: 'Pigeons', de: 'Tauben' },
  about: { en: 'Push messages that fly.', de: 'Push-Nachrichten, die fliegen.' },
  settings: [],
  carries: ['push'],
  hint: 'PIGEON_URL and PIGEON_RING',
  read(env) {
    const url = readSetting(env, 'PIGEON_URL', webUrl, null);
    const ring = env.PIGEON_RING ?? null;
    return url === null || ring === null
      ? allOrNone({ PIGEON_URL: url, PIGEON_RING: ring })
      : { pigeons: [], problem: null, ring };
  },
  open: (kind, loft) => ({
    kind,
    atOnce: 1,
    async send(to, alert) {
      const wayBack = 'wayBack' in alert ? alert.wayBack : null;
      const statusUrl = wayBack === null ? '' : `${wayBack.carrierUrl}/pigeon/status/${wayBack.reference}`;
      loft.pigeons.push({ to, subject: writeMessage(alert).subject, statusUrl });
      return { kind: 'sent', providerRef: `pigeon ${loft.pigeons.length}` };
    },
    ask: async () => loft.problem,
    async close() {},
  }),
  callback: ({ ring }) => ({
    read: ({ headers, body }) =>
      headers['x-pigeon-signature'] === ring ? { kind: 'arrived', providerRef: body } : { kind: 'forged' },
    answer: () => ({ status: 200, contentType: '', body: '' }),
  }),
};
