import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig as readFacadeConfig } from '../facade/config.ts';
import { readConfig } from '../services/start/config.ts';
import { EXTERNAL, SID, SIGNING } from './config-rig.ts';

/** Setting, bad value, what the sentence must say of the value it got. */
const HX = `HX${'a'.repeat(32)}`;

const BAD: [name: string, value: string, got: string][] = [
  ['RPC_PORT', 'abc', 'got "abc"'],
  ['RPC_PORT', '65536', 'got "65536"'],
  ['RPC_PORT', '-1', 'got "-1"'],
  ['RPC_PORT', '80.5', 'got "80.5"'],
  ['RPC_PORT', '0x50', 'got "0x50"'],
  ['RPC_PORT', ' 80', 'got " 80"'],
  ['RPC_HOST', 'localhost:80', 'got "localhost:80"'],
  ['RPC_HOST', 'http://localhost', 'got "http://localhost"'],
  ['RPC_HOST', 'a\nb', 'got "a\\nb"'],
  ['DATABASE_URL', 'mysql://user:hunter2@host/db', 'got 28 characters'],
  ['DATABASE_URL', 'postgres://user:hunter2#1@host/db', 'got 33 characters'],
  ['DATABASE_URL', 'host/hunter2', 'got 12 characters'],
  ['DATABASE_URL', 'postgres://user:hunter2@%2/db', 'got 29 characters'],
  ['DATABASE_URL', 'postgres://user:hunter2@one:5432,/db', 'got 36 characters'],
  ['DATABASE_URL', 'postgres://user:hunter2@one:5432,two:port/db', 'got 44 characters'],
  ['DATA_DIR', 'a\0b', 'got "a\\u0000b"'],
  ['NATS_URL', 'http://hunter2@host', 'got 19 characters'],
  ['NATS_URL', 'nats://hunter2@one,http://two', 'got 29 characters'],
  ['SMTP_URL', 'mail.example.com:25', 'got 19 characters'],
  ['ACCOUNT_LIMITS', '0', 'got "0"'],
  ['ACCOUNT_LIMITS', '1.5', 'got "1.5"'],
  ['ACCOUNT_LIMITS', '1001', 'got "1001"'],
  ['DATABASE_DISK', 'a\0b', 'got "a\\u0000b"'],
  ['DISK_FLOOR', '500', 'got "500"'],
  ['DISK_FLOOR', '5%', 'got "5%"'],
  ['DISK_FLOOR', '1 GB', 'got "1 GB"'],
  ['OIDC_ISSUER', 'http://id.example.com', 'got "http://id.example.com"'],
  ['OIDC_ISSUER', 'id.example.com', 'got "id.example.com"'],
  ['SMTP_URL', 'https://hunter2@host', 'got 20 characters'],
  ['SMTP_URL', 'smtp://user:hunter2%@host', 'got 25 characters'],
  ['MAIL_FROM', 'Alarms', 'got "Alarms"'],
  ['MAIL_FROM', 'Alarms <alarms>', 'got "Alarms <alarms>"'],
  ['MAIL_FROM', 'a@example.com\r\nBcc: b@example.com', 'got "a@example.com\\r\\nBcc: b@example.com"'],
  ['CONSOLE_TOKEN', 'hunter2', 'got 7 characters'],
  ['CONSOLE_TOKEN', `hunter2 ${'x'.repeat(40)}`, 'got 48 characters'],
  ['KEY_PEPPER', 'hunter2', 'got 7 characters'],
  ['DATA_KEY', 'hunter2', 'got 7 characters'],
  ['DATA_KEY', 'f'.repeat(63), 'got 63 characters'],
  ['DATA_KEY_ALSO', 'f'.repeat(63), 'got 63 characters'],
  ['KEY_PEPPER_ALSO', 'short', 'got 5 characters'],
  ['DEMO_EMAIL', 'someone', 'got "someone"'],
  ['PLAN_DEFAULT', 'gold', 'got "gold"'],
  ['PUBLIC_URL', 'alarm.example.com', 'got "alarm.example.com"'],
  ['PUBLIC_URL', 'ftp://alarm.example.com', 'got "ftp://alarm.example.com"'],
  ['PUBLIC_URL', 'https://user:hunter2@alarm.example.com', 'got "https://…@alarm.example.com"'],
  ['PUBLIC_URL', 'user:hunter2@1@alarm.example.com', 'got "…@alarm.example.com"'],
  ['PUBLIC_URL', 'https://alarm.example.com/?a=hunter2', 'got "https://alarm.example.com/?…"'],
  ['LOG_LEVEL', 'loud', 'got "loud"'],
  ['MAIL_BOUNCE', 'bounces', 'got "bounces"'],
  ['MAIL_BOUNCE_IMAP', 'mail.example.com', 'got 16 characters'],
  ['MAIL_BOUNCE_IMAP', 'smtp://user:hunter2@mail.example.com', 'got 36 characters'],
  ['MAIL_BOUNCE_IMAP', 'imaps://mail.example.com/INBOX', 'got 30 characters'],
  ['TWILIO_ACCOUNT_SID', 'SK123', 'got "SK123"'],
  ['TWILIO_AUTH_TOKEN', 'hunter2', 'got 7 characters'],
  ['TWILIO_FROM', '0202 555 0100', 'got "0202 555 0100"'],
  ['TWILIO_API_URL', 'api.twilio.com', 'got "api.twilio.com"'],
  ['TWILIO_WHATSAPP_FROM', 'whatsapp:+12025550100', 'got "whatsapp:+12025550100"'],
  ['TWILIO_WHATSAPP_TEMPLATES', 'en:HX1', 'got "en:HX1"'],
  ['TWILIO_WHATSAPP_TEMPLATES', `xx:${HX}:${HX}`, `got "xx:${HX}:${HX}"`],
  ['TWILIO_WHATSAPP_TEMPLATES', `en:${HX}`, `got "en:${HX}"`],
  ['TELNYX_API_KEY', 'hunter2', 'got 7 characters'],
  ['TELNYX_PUBLIC_KEY', 'abc', 'got "abc"'],
  ['TELNYX_FROM', '0202 555 0100', 'got "0202 555 0100"'],
  ['TELNYX_TEXML_APP', 'my app', 'got "my app"'],
  ['TELNYX_API_URL', 'api.telnyx.com', 'got "api.telnyx.com"'],
  ['GATEWAY_URL', 'sms.example.com', 'got "sms.example.com"'],
  ['GATEWAY_SECRET', 'hunter2', 'got 7 characters'],
  ['GATEWAY_SIGNATURE', 'v3', 'got "v3"'],
  ['NTFY_URL', 'ntfy://hunter2@push', 'got "ntfy://…@push"'],
  ['NTFY_TOKEN', 'hunter 2', 'got 8 characters'],
  ['PUSHOVER_TOKEN', 'hunter2', 'got 7 characters'],
  ['TELEGRAM_TOKEN', 'hunter2', 'got 7 characters'],
  ['TELEGRAM_API_URL', 'api.telegram.org', 'got "api.telegram.org"'],
  ['SIGNAL_URL', 'signal:8080', 'got "signal:8080"'],
  ['SIGNAL_NUMBER', 'signal:+12025550199', 'got "signal:+12025550199"'],
  ['APPRISE_URL', 'apprise:8000', 'got "apprise:8000"'],
  ['WEB_PUSH_CONTACT', 'ops@localhost', 'got "ops@localhost"'],
  ['PUSHOVER_API_URL', 'api.pushover.net', 'got "api.pushover.net"'],
  ['CARRIERS_TEXT', 'twilio,twilio', 'got "twilio,twilio"'],
  ['CARRIERS_CALL', 'mail', 'got "mail"'],
  ['SMTP_URL_2', 'mail.example.net', 'got 16 characters'],
  ['HEARTBEAT_URL', 'hc-ping.example.com/uuid', 'got 24 characters'],
  ['HEARTBEAT_URL', 'https://user:hunter2@hc-ping.example.com/uuid', 'got 45 characters'],
  ['HEARTBEAT_URL', 'https://hc-ping.example.com/uuid?a=hunter2', 'got 42 characters'],
  ['HEARTBEAT_URL', 'ftp://hc-ping.example.com/uuid', 'got 30 characters'],
  ['OUTBOUND_NETWORKS', 'home', 'got "home"'],
  ['CONTACT_VERIFICATION', 'no', 'got "no"'],
  ['CONSOLE_CARRIERS', 'no', 'got "no"'],
  ['BACKUP_DIR', 'a\0b', 'got "a\\u0000b"'],
  ['BACKUP_EVERY', 'daily', 'got "daily"'],
  ['BACKUP_EVERY', '24', 'got "24"'],
  ['BACKUP_EVERY', '9m', 'got "9m"'],
  ['BACKUP_EVERY', '32d', 'got "32d"'],
  ['BACKUP_KEEP', '0', 'got "0"'],
  ['BACKUP_KEEP', '1001', 'got "1001"'],
  ['RETENTION_CALLS', '0', 'got "0"'],
  ['RETENTION_CALLS', '-1', 'got "-1"'],
  ['RETENTION_CALLS', '1.5', 'got "1.5"'],
  ['RETENTION_CALLS', '90 d', 'got "90 d"'],
  ['RETENTION_INCIDENTS', '2y', 'got "2y"'],
  ['RETENTION_INCIDENTS', '100000', 'got "100000"'],
  ['RETENTION_AUDIT', 'never', 'got "never"'],
  ['RETENTION_AUDIT', 'Forever', 'got "Forever"'],
];

const BAD_FOR_FACADE: typeof BAD = [
  ['HTTP_PORT', '80a', 'got "80a"'],
  ['HTTP_HOST', 'a/b', 'got "a/b"'],
  ['PUBLIC_URL', 'localhost', 'got "localhost"'],
  ['TRUSTED_PROXIES', 'proxy.example.com', 'got "proxy.example.com"'],
  ['TRUSTED_PROXIES', '10.0.0.1,', 'got "10.0.0.1,"'],
  ['TRUSTED_PROXIES', '10.0.0.0/33', 'got "10.0.0.0/33"'],
  ['LOG_LEVEL', 'INFO', 'got "INFO"'],
];

describe('a bad setting is refused in one sentence that names it, what it takes and what it got', () => {
  test.each(BAD)('%s=%j', (name, value, got) => expectRefusal(() => readConfig({ [name]: value }), name, got));
  test.each(BAD_FOR_FACADE)('facade: %s=%j', (name, value, got) =>
    expectRefusal(() => readFacadeConfig({ [name]: value }), name, got));
});

test.each([
  ['DATABASE_URL', 'postgres://user:hunter2#1@host/db', 'encode # as %23'],
  ['DATABASE_URL', 'postgres://user:hunter2?1@one,two/db', 'encode ? as %3F'],
  ['DATABASE_URL', 'postgres://user:hunter2/1@host/db', 'encode / as %2F'],
  ['DATABASE_URL', 'postgres://user:hunter2@1@host/db', 'encode @ as %40'],
  ['SMTP_URL', 'smtp://a@x:hunter2@#1@host:587', 'encode @ as %40 and # as %23'],
  ['SMTP_URL', 'smtps://user:hunter2#@host', 'encode # as %23'],
  ['SMTP_URL', 'smtp://user:1/hunter2@host', 'encode / as %2F'],
  ['NATS_URL', 'nats://a:b@one,tls://user:hunter2#1@two', 'encode # as %23'],
  ['NATS_URL', 'nats://hunter2#1@two', 'encode # as %23'],
  ['MAIL_BOUNCE_IMAP', 'imaps://user:hunter2?1@mail.example.com', 'encode ? as %3F'],
  ['MIGRATE_DATABASE_URL', 'postgres://user:hunter2#1@host/db', 'encode # as %23'],
])('a sign that ends the password too early is named, and never the password: %s=%s', (name, value, todo) => {
  expectRefusal(() => readConfig({ [name]: value }), name, `got ${value.length} characters`);
  expect(refusal(() => readConfig({ [name]: value }))).toContain(`(${todo}), got `);
});

test.each([
  ['SMTP_URL', 'smtp://anna@example.com:hunter2@host:587'],
  ['SMTP_URL', 'smtps://user:hunter2%23%40%2F@host'],
  ['DATABASE_URL', 'postgres://user:hunter2%3F@one:5432,two/db?sslmode=require'],
  ['NATS_URL', 'nats://a:b@one:4222,two,tls://token@three'],
  ['MAIL_BOUNCE_IMAP', 'imaps://user:hunter2@mail.example.com/INBOX'],
])('what can be read one way only is taken: %s=%s', (name, value) => {
  expect(() => readConfig({ ...EXTERNAL, ...(name === 'MAIL_BOUNCE_IMAP' && MAIL), [name]: value })).not.toThrow();
});

const MAIL = { SMTP_URL: 'smtp://host:587', MAIL_BOUNCE: 'bounces@example.com' };

test('a value that is too long to read is cut in the sentence', () => {
  expect(refusal(() => readConfig({ LOG_LEVEL: 'x'.repeat(500) }))).toContain(`got "${'x'.repeat(78)}….`);
});

test.each(['KEY_PEPPER', 'DATA_KEY'])('with DATABASE_URL set %s is required', name => {
  const message = refusal(() => readConfig({ ...EXTERNAL, [name]: undefined }));
  expect(message).toMatch(new RegExp(`^${name} takes .+, got nothing, and is required together with DATABASE_URL\\.$`));
});

test('MIGRATE_DATABASE_URL names who migrates, and says nothing without DATABASE_URL', () => {
  const env = { ...EXTERNAL, MIGRATE_DATABASE_URL: 'postgres://owner:p@db/t' };
  expect(readConfig(env).database).toMatchObject({ url: EXTERNAL.DATABASE_URL, migrateUrl: env.MIGRATE_DATABASE_URL });
  expect(refusal(() => readConfig({ MIGRATE_DATABASE_URL: env.MIGRATE_DATABASE_URL }))).toBe(
    'MIGRATE_DATABASE_URL is set without DATABASE_URL: set that too, with the user that may read and write rows only.',
  );
});

test('backups by schedule need a folder and a passphrase', () => {
  expect(refusal(() => readConfig({ BACKUP_EVERY: '24h' }))).toBe(
    'BACKUP_EVERY is set without BACKUP_DIR: set that too, to the folder that backups go to.',
  );
  expect(refusal(() => readConfig({ BACKUP_KEEP: '3' }))).toMatch(/^BACKUP_KEEP is set without BACKUP_DIR/);
  const message = refusal(() => readConfig({ BACKUP_DIR: '/backups' }));
  expect(message).toBe(
    'BACKUP_PASSPHRASE takes at least 12 characters, got nothing, and is required with BACKUP_DIR: backups are encrypted.',
  );
  const short = refusal(() => readConfig({ BACKUP_DIR: '/backups', BACKUP_PASSPHRASE: 'hunter2' }));
  expect(short).toBe('BACKUP_PASSPHRASE takes at least 12 characters, got 7 characters.');
});

test.each([
  [{ TWILIO_ACCOUNT_SID: SID }, 'TWILIO_AUTH_TOKEN and TWILIO_FROM are missing: TWILIO_ACCOUNT_SID is set'],
  [{ TWILIO_FROM: '+12025550100', TWILIO_ACCOUNT_SID: SID }, 'TWILIO_AUTH_TOKEN is missing'],
  [
    { TELNYX_API_KEY: 'KEY0123456789abcdef', TELNYX_FROM: '+12025550100' },
    'TELNYX_PUBLIC_KEY and TELNYX_TEXML_APP are missing: TELNYX_API_KEY and TELNYX_FROM are set',
  ],
  [
    { TWILIO_WHATSAPP_FROM: '+12025550100' },
    'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN and TWILIO_WHATSAPP_TEMPLATES are missing: TWILIO_WHATSAPP_FROM is set',
  ],
  [{ SIGNAL_URL: 'http://signal:8080' }, 'SIGNAL_NUMBER is missing: SIGNAL_URL is set'],
  [{ GATEWAY_URL: 'https://sms.example.com' }, 'GATEWAY_SECRET is missing: GATEWAY_URL is set'],
  [{ GATEWAY_SECRET: SIGNING }, 'GATEWAY_URL is missing: GATEWAY_SECRET is set'],
])('a carrier that is half set up is refused: %j', (env, words) => {
  expect(refusal(() => readConfig(env))).toContain(words);
});

test('a setting that stands in the variable and in a file is refused', () => {
  const message = refusal(() => readConfig({ RPC_PORT: '1', RPC_PORT_FILE: '/run/secrets/rpc-port' }));
  expect(message).toBe('RPC_PORT and RPC_PORT_FILE are both set: set only one of them.');
});

test('a file that cannot be read is refused', () => {
  const file = join(tmpdir(), 'tocsin-no-such-file');
  const message = refusal(() => readConfig({ DATA_KEY_FILE: file }));
  expect(message).toBe(`DATA_KEY_FILE takes the path of a readable file, got "${file}" (ENOENT).`);
});

function expectRefusal(read: () => unknown, name: string, got: string): void {
  const message = refusal(read);
  expect(message.startsWith(`${name} takes `)).toBe(true);
  expect(message.endsWith(`, ${got}.`)).toBe(true);
  expect(message).not.toContain('hunter2');
  expect(message).not.toContain('\n');
}

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof Error && error.name === 'ConfigError') return error.message;
    throw error;
  }
  throw new Error('The setting was taken.');
}

test('an identity provider takes all of its settings, or none', () => {
  const sentence = 'OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set too';
  expect(() => readConfig({ OIDC_ISSUER: 'https://id.example.com' })).toThrow(sentence);
  const oidc = { OIDC_ISSUER: 'http://127.0.0.1:9000', OIDC_CLIENT_ID: 'tocsin' };
  expect(() => readConfig(oidc)).toThrow('OIDC_CLIENT_SECRET must be set too');
  expect(readConfig({ ...oidc, OIDC_CLIENT_SECRET: 'secret' }).oidc).toEqual({
    issuer: oidc.OIDC_ISSUER,
    clientId: 'tocsin',
    clientSecret: 'secret',
  });
});
