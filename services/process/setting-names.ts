import { suggestion } from './suggest.ts';

/** Every variable that a process of ours, or the command line, reads; each also with _FILE behind it. */
export const SETTING_NAMES = [
  'HTTP_PORT',
  'HTTP_HOST',
  'RPC_PORT',
  'RPC_HOST',
  'SERVICE_TOKEN',
  'PUBLIC_URL',
  'TLS_CERT',
  'TLS_KEY',
  'TRUSTED_PROXIES',
  'RATE_LIMITS',
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'KEY_PEPPER',
  'DATA_KEY',
  'UNSAFE_DATABASE',
  'DATA_DIR',
  'NATS_URL',
  'RPC_URL',
  'SMTP_URL',
  'MAIL_FROM',
  'MAIL_BOUNCE',
  'MAIL_BOUNCE_IMAP',
  'TWILIO_ACCOUNT_SID',
  'TWILIO_AUTH_TOKEN',
  'TWILIO_FROM',
  'TWILIO_API_URL',
  'GATEWAY_URL',
  'GATEWAY_SECRET',
  'GATEWAY_SIGNATURE',
  'NTFY_URL',
  'NTFY_TOKEN',
  'OUTBOUND_NETWORKS',
  'CONTACT_VERIFICATION',
  'DEMO_EMAIL',
  'PLAN_DEFAULT',
  'RETENTION_CALLS',
  'RETENTION_INCIDENTS',
  'RETENTION_AUDIT',
  'CONSOLE_TOKEN',
  'CONFIG_FILE',
  'LOG_LEVEL',
  'TOCSIN_RPC_URL',
  'TOCSIN_TOKEN',
  'TOCSIN_ACCOUNT',
  'TOCSIN_KEY',
] as const;

/** From this length on, without _FILE, two letters may differ, else one. More would be another word: SSL_CERT_FILE is not ours. */
const LONG = 12;

/**
 * Sentences on variables that are set and nearly one of ours, so that nothing reads them though somebody meant them to be
 * read. Of their values nothing is said.
 */
export function misspeltSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  const ours = new Set(SETTING_NAMES.flatMap(name => [name, `${name}_FILE`]));
  return Object.keys(env).flatMap(name => {
    if (ours.has(name) || !env[name]) return [];
    const meant = suggestion(name, ours, name.replace(/_FILE$/i, '').length >= LONG ? 2 : 1);
    // Where that is set too, this one is probably for another program.
    return meant === '' || env[meant] ? [] : [`${name} is set, and nothing reads it: did you mean ${meant}?`];
  });
}
