import { pino } from 'pino';
import { startFacade } from '../../../facade/app.ts';
import { subjects } from '../../../services/changes/bus.ts';
import { createLocalBus } from '../../../services/changes/local.ts';
import { KEEP_ALL } from '../../../services/limits/kept.ts';
import { startServices } from '../../../services/start/app.ts';
import { openStoredCarriers } from '../../../services/start/carriers.ts';
import { openPublicUrl } from '../../../services/start/public-url.ts';
import { openBackups } from '../../../services/start/stored-backups.ts';
import { createSeal } from '../../../services/store/seal.ts';
import { openStore } from '../../../services/store/store.ts';
import { NO_CARRIERS } from '../../support/carriers.ts';
import { facadeConfig } from '../../support/facade-config.ts';
import { startControl } from './control.ts';

/** What the bench hands over in the environment, as JSON in BENCH. */
export interface ProductSettings {
  databaseUrl: string;
  pepper: string;
  dataKey: string;
  /** The account that `/signal` and `/flood` signal. */
  accountId: string;
  /** The window in which signals are held back; 0: none, to see how fast the relay can go. */
  coalesceMs: number;
}

/*
 * The whole product with a limit on sockets that a bench from one address and with one key can live with. Everything else is
 * as `npm start` has it.
 */
const settings = JSON.parse(process.env.BENCH ?? '') as ProductSettings;
const log = pino({ level: 'silent' });
const store = await openStore(settings.databaseUrl, log);
const bus = createLocalBus();
const seal = createSeal(Buffer.from(settings.dataKey, 'hex'));
const carriers = await openStoredCarriers({
  env: {},
  base: NO_CARRIERS,
  stored: 'taken',
  made: NO_CARRIERS,
  seal,
  pool: store.pool,
  log,
});
const publicUrl = await openPublicUrl({ pool: store.pool, seal, url: null, stored: 'taken', log });
const urls = { url: settings.databaseUrl, migrateUrl: settings.databaseUrl };
const backups = await openBackups({
  pool: store.pool,
  seal,
  environment: { names: [], settings: null },
  stored: 'taken',
  database: {
    kind: 'external',
    ...urls,
    pepper: settings.pepper,
    dataKey: Buffer.from(settings.dataKey, 'hex'),
    also: { pepper: null, dataKey: null },
  },
  urls,
  log,
});
const services = await startServices({
  store,
  bus,
  carriers,
  channels: carriers.channels,
  publicUrl,
  seal,
  pepper: settings.pepper,
  rpc: { host: '127.0.0.1', port: 0, serviceToken: null, trustedProxies: [] },
  rateLimits: 'off',
  kept: KEEP_ALL,
  metrics: 'here',
  deployment: {
    planDefault: 'paid',
    contactVerification: 'trusted',
    webhookSecret: NO_CARRIERS.webhookSecret,
    oidc: null,
    bus: 'local',
    publicUrl: publicUrl.now,
  },
  retention: { calls: 'forever', incidents: 'forever', audit: 'forever' },
  backups,
  heartbeat: null,
  log,
});
const most = 20_000;
const facade = await startFacade({
  transport: services.transport,
  config: facadeConfig(),
  log,
  realtime: {
    bus,
    limits: { socketsPerKey: most, socketsPerAccount: most, socketsPerAddress: most, sockets: most },
    times: { coalesce: settings.coalesceMs },
  },
});
await startControl({
  http: facade.url,
  async signal() {
    bus.publish(subjects.change(settings.accountId), { kind: 'state' });
    await bus.flush();
  },
});
