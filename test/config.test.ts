import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publicUrlAt, readConfig as readFacadeConfig } from '../facade/config.ts';
import { readConfig } from '../services/start/config.ts';
import { EXTERNAL, KEY, PEPPER, SID, SIGNING, TOKEN } from './config-rig.ts';
import { BOT_TOKEN } from './support/telegram.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-config-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('nothing set gives the embedded database in .data, the documented ports and no carrier', () => {
  expect(readConfig({})).toEqual({
    database: {
      kind: 'embedded',
      dataDir: join(process.cwd(), '.data'),
      pepper: null,
      dataKey: null,
      also: { pepper: null, dataKey: null },
    },
    rpc: { host: '127.0.0.1', port: 8081, serviceToken: null, trustedProxies: [] },
    rateLimits: 'on',
    accountLimits: 1,
    disk: { folder: null, floor: null },
    natsUrl: null,
    carrierEnv: {},
    consoleCarriers: 'taken',
    carriers: {
      mail: { smtpUrl: null, from: 'Tocsin <tocsin@localhost>', bounce: null, bounceImap: null },
      mail2: null,
      order: {},
      twilio: null,
      gateway: null,
      telnyx: null,
      whatsapp: null,
      ntfy: null,
      pushover: null,
      'web-push': null,
      telegram: null,
      signal: null,
      apprise: null,
      webhook: 'always',
      outboundNetworks: [],
    },
    contactVerification: 'required',
    consoleToken: null,
    oidc: null,
    demoEmail: null,
    configFile: null,
    planDefault: 'paid',
    publicUrl: null,
    retention: { calls: 90, incidents: 730, audit: 730 },
    backups: null,
    backupsInEnvironment: [],
    unsafeDatabase: 'refused',
    metrics: { host: '127.0.0.1', port: 9464, ifTaken: 'take_a_free_one' },
    heartbeatUrl: null,
    logLevel: 'info',
  });
  expect(readFacadeConfig({})).toEqual({
    host: '0.0.0.0',
    port: 8080,
    publicUrl: null,
    trustedProxies: [],
    tls: null,
    rateLimits: 'on',
    consoleOpenLine: 'taken',
    metrics: { host: '127.0.0.1', port: 9465, ifTaken: 'take_a_free_one' },
    logLevel: 'info',
  });
});

test('the figures are beside everything else only where METRICS_PORT is that port', () => {
  const metricsOf = (settings: Record<string, string>) => [
    readConfig({ ...EXTERNAL, ...settings }).metrics,
    readFacadeConfig(settings).metrics,
  ];
  const apart = (port: number) => ({ host: '127.0.0.1', port, ifTaken: 'refuse_to_start' });
  expect(metricsOf({ METRICS_PORT: '8080' })).toEqual([apart(8080), 'here']);
  expect(metricsOf({ METRICS_PORT: '8081' })).toEqual(['here', apart(8081)]);
  expect(metricsOf({ METRICS_PORT: '9000', HTTP_PORT: '9000' })).toEqual([apart(9000), 'here']);
  expect(metricsOf({ METRICS_PORT: '0', HTTP_PORT: '0', RPC_PORT: '0' })).toEqual([apart(0), apart(0)]);
});

test('every setting is read as it was meant', () => {
  const env = {
    ...EXTERNAL,
    RPC_HOST: '::1',
    RPC_PORT: '0',
    METRICS_PORT: '9464',
    METRICS_HOST: '0.0.0.0',
    NATS_URL: 'nats://one:4222,tls://two:4222',
    SMTP_URL: 'smtps://me%40example.com:secret@mail.example.com:465',
    MAIL_FROM: 'Alarms <alarms@example.com>',
    MAIL_BOUNCE: 'bounces@example.com',
    MAIL_BOUNCE_IMAP: 'imaps://bounces%40example.com:p%40ss@mail.example.com/INBOX',
    SMTP_URL_2: 'smtp://mail.example.net:587',
    MAIL_FROM_2: 'alarms@example.net',
    CARRIERS_TEXT: 'gateway, twilio, whatsapp',
    CARRIERS_CALL: 'twilio',
    CARRIERS_EMAIL: 'mail,mail2',
    TWILIO_ACCOUNT_SID: SID,
    TWILIO_AUTH_TOKEN: TOKEN,
    TWILIO_FROM: '+12025550100',
    TWILIO_API_URL: 'http://127.0.0.1:4010/',
    TWILIO_WHATSAPP_FROM: '+12025550177',
    TWILIO_WHATSAPP_TEMPLATES: `en:HX${'a'.repeat(32)}:HX${'b'.repeat(32)}, de:HX${'c'.repeat(32)}:HX${'d'.repeat(32)}`,
    TELNYX_API_KEY: 'KEY0123456789abcdef',
    TELNYX_PUBLIC_KEY: `${'A'.repeat(43)}=`,
    TELNYX_FROM: '+12025550101',
    TELNYX_TEXML_APP: '1293384261075731499',
    TELNYX_API_URL: 'http://127.0.0.1:4011/',
    GATEWAY_URL: 'https://sms.example.com/send',
    GATEWAY_SECRET: SIGNING,
    GATEWAY_SIGNATURE: 'v1',
    KEY_PEPPER_ALSO: PEPPER.toUpperCase(),
    DATA_KEY_ALSO: '01'.repeat(32),
    HEARTBEAT_URL: 'https://hc-ping.example.com/a-uuid/',
    NTFY_URL: 'https://push.example.com/',
    NTFY_TOKEN: 'tk_abc',
    PUSHOVER_TOKEN: TOKEN.slice(0, 30),
    PUSHOVER_API_URL: 'http://127.0.0.1:4011/',
    WEB_PUSH_CONTACT: 'ops@example.com',
    TELEGRAM_TOKEN: BOT_TOKEN,
    TELEGRAM_API_URL: 'http://127.0.0.1:4012/',
    SIGNAL_URL: 'http://signal:8080/',
    SIGNAL_NUMBER: '+12025550199',
    APPRISE_URL: 'http://apprise:8000/',
    OUTBOUND_NETWORKS: '192.168.1.0/24, fd00::/8',
    CONTACT_VERIFICATION: 'trusted',
    CONSOLE_TOKEN: 't'.repeat(40),
    OIDC_ISSUER: 'https://id.example.com/realm',
    OIDC_CLIENT_ID: 'tocsin',
    OIDC_CLIENT_SECRET: 'what the provider gave',
    DEMO_EMAIL: 'someone@example.com',
    PLAN_DEFAULT: 'free',
    PUBLIC_URL: 'https://alarm.example.com/base/',
    BACKUP_DIR: '/backups/',
    BACKUP_EVERY: '12h',
    BACKUP_KEEP: '30',
    BACKUP_PASSPHRASE: 'correct horse battery',
    RETENTION_CALLS: '30',
    RETENTION_INCIDENTS: '3650d',
    RETENTION_AUDIT: 'forever',
    UNSAFE_DATABASE: 'allowed',
    RATE_LIMITS: 'off',
    ACCOUNT_LIMITS: '30',
    DATABASE_DISK: '/var/lib/postgresql',
    DISK_FLOOR: '500MB',
    CONSOLE_CARRIERS: 'refused',
    LOG_LEVEL: 'debug',
  };
  expect(readConfig(env)).toEqual({
    database: {
      kind: 'external',
      url: EXTERNAL.DATABASE_URL,
      migrateUrl: EXTERNAL.DATABASE_URL,
      pepper: PEPPER,
      dataKey: KEY,
      also: { pepper: PEPPER.toUpperCase(), dataKey: Buffer.alloc(32, 1) },
    },
    rpc: { host: '::1', port: 0, serviceToken: null, trustedProxies: [] },
    rateLimits: 'off',
    accountLimits: 30,
    disk: { folder: '/var/lib/postgresql', floor: 500_000_000 },
    natsUrl: env.NATS_URL,
    consoleCarriers: 'refused',
    carrierEnv: Object.fromEntries(
      Object.entries(env).filter(([name]) =>
        /^(APPRISE|GATEWAY|MAIL|NTFY|PUSHOVER|SIGNAL|SMTP|TELEGRAM|TELNYX|TWILIO|WEB_PUSH)_/.test(name),
      ),
    ),
    carriers: {
      mail: {
        smtpUrl: env.SMTP_URL,
        from: env.MAIL_FROM,
        bounce: env.MAIL_BOUNCE,
        bounceImap: env.MAIL_BOUNCE_IMAP,
      },
      mail2: {
        smtpUrl: env.SMTP_URL_2,
        from: env.MAIL_FROM_2,
        bounce: env.MAIL_BOUNCE,
        bounceImap: env.MAIL_BOUNCE_IMAP,
        second: { setting: 'SMTP_URL_2', idFrom: env.MAIL_FROM },
      },
      order: { text: ['gateway', 'twilio', 'whatsapp'], call: ['twilio'], email: ['mail', 'mail2'] },
      twilio: { accountSid: SID, authToken: TOKEN, from: '+12025550100', apiUrl: 'http://127.0.0.1:4010' },
      whatsapp: {
        ...{ accountSid: SID, authToken: TOKEN, from: '+12025550177', apiUrl: 'http://127.0.0.1:4010' },
        templates: new Map([
          ['en', { message: `HX${'a'.repeat(32)}`, code: `HX${'b'.repeat(32)}` }],
          ['de', { message: `HX${'c'.repeat(32)}`, code: `HX${'d'.repeat(32)}` }],
        ]),
      },
      gateway: { url: 'https://sms.example.com/send', secret: SIGNING, signature: 'v1' },
      telnyx: {
        apiKey: env.TELNYX_API_KEY,
        publicKey: env.TELNYX_PUBLIC_KEY,
        from: '+12025550101',
        texmlApp: '1293384261075731499',
        apiUrl: 'http://127.0.0.1:4011',
      },
      ntfy: { url: 'https://push.example.com', token: 'tk_abc' },
      'web-push': { contact: 'ops@example.com' },
      pushover: { token: TOKEN.slice(0, 30), apiUrl: 'http://127.0.0.1:4011' },
      telegram: { token: BOT_TOKEN, apiUrl: 'http://127.0.0.1:4012' },
      signal: { url: 'http://signal:8080', number: '+12025550199' },
      apprise: { url: 'http://apprise:8000' },
      webhook: 'always',
      outboundNetworks: ['192.168.1.0/24', 'fd00::/8'],
    },
    contactVerification: 'trusted',
    consoleToken: env.CONSOLE_TOKEN,
    oidc: { issuer: env.OIDC_ISSUER, clientId: 'tocsin', clientSecret: 'what the provider gave' },
    demoEmail: env.DEMO_EMAIL,
    configFile: null,
    planDefault: 'free',
    publicUrl: 'https://alarm.example.com/base',
    retention: { calls: 30, incidents: 3650, audit: 'forever' },
    backups: { folder: '/backups', everyS: 43_200, keep: 30, passphrase: 'correct horse battery' },
    backupsInEnvironment: ['BACKUP_DIR', 'BACKUP_EVERY', 'BACKUP_KEEP', 'BACKUP_PASSPHRASE'],
    unsafeDatabase: 'allowed',
    metrics: { host: '0.0.0.0', port: 9464, ifTaken: 'refuse_to_start' },
    heartbeatUrl: 'https://hc-ping.example.com/a-uuid',
    logLevel: 'debug',
  });
  const facade = readFacadeConfig({
    ...env,
    HTTP_PORT: '443',
    TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8,192.168.1.2',
    CONSOLE_OPEN_LINE: 'refused',
  });
  expect(facade.port).toBe(443);
  expect(facade.consoleOpenLine).toBe('refused');
  expect(facade.rateLimits).toBe('off');
  expect(facade.trustedProxies).toEqual(['10.0.0.0/8', 'fd00::/8', '192.168.1.2']);
});

test('SERVICE_TOKEN is required as soon as the RPC port is not on this machine alone', () => {
  const sentence = /^SERVICE_TOKEN takes .* is required where RPC_HOST is not this machine alone/;
  for (const host of ['0.0.0.0', '::', '10.0.0.5', 'services']) {
    expect(() => readConfig({ RPC_HOST: host })).toThrow(sentence);
    expect(readConfig({ RPC_HOST: host, SERVICE_TOKEN: 's'.repeat(32) }).rpc.serviceToken).toBe('s'.repeat(32));
  }
  for (const host of ['127.0.0.1', '127.0.1.1', '::1', 'localhost']) {
    expect(readConfig({ RPC_HOST: host }).rpc.serviceToken).toBe(null);
  }
});

test('DATA_KEY is the same 32 bytes as base64 and as hexadecimal digits', () => {
  expect(readConfig({ DATA_KEY: KEY.toString('base64') }).database.dataKey).toEqual(KEY);
  expect(readConfig({ DATA_KEY: KEY.toString('hex').toUpperCase() }).database.dataKey).toEqual(KEY);
});

test('mail comes from the login of SMTP_URL where that is an address', () => {
  const from = (url: string) => readConfig({ SMTP_URL: url }).carriers.mail.from;
  expect(from('smtp://me%40example.com:secret@mail.example.com')).toBe('Tocsin <me@example.com>');
  expect(from('smtp://login:secret@mail.example.com')).toBe('Tocsin <tocsin@localhost>');
});

test('without PUBLIC_URL the facade is reached where it listens', () => {
  expect(publicUrlAt(readFacadeConfig({}), 40_123)).toBe('http://localhost:40123');
  expect(publicUrlAt(readFacadeConfig({ PUBLIC_URL: 'https://a.example/' }), 40_123)).toBe('https://a.example');
});

test('an empty text counts as not set', () => {
  expect(readConfig({ DATABASE_URL: '', RPC_PORT: '', KEY_PEPPER_FILE: '' })).toEqual(readConfig({}));
});

test('every setting may stand in a file, whose trailing newline does not count', async () => {
  const file = join(folder, 'value');
  await writeFile(file, `${PEPPER}\n`);
  expect(readConfig({ KEY_PEPPER_FILE: file }).database.pepper).toBe(PEPPER);
  const { backups, backupsInEnvironment } = readConfig({ BACKUP_PASSPHRASE_FILE: file });
  expect([backups, backupsInEnvironment]).toEqual([null, ['BACKUP_PASSPHRASE_FILE']]);
  await writeFile(file, '9090\r\n');
  expect(readConfig({ RPC_PORT_FILE: file }).rpc.port).toBe(9090);
  expect(readConfig({ RETENTION_CALLS_FILE: file }).retention.calls).toBe(9090);
  expect(readFacadeConfig({ HTTP_PORT_FILE: file }).port).toBe(9090);
});
