import { suggestion } from './suggest.ts';

/** Every variable that one of our processes or the command line reads; each also with the suffix _FILE. */
export const SETTING_NAMES = [
  'HTTP_PORT',
  'HTTP_HOST',
  'RPC_PORT',
  'RPC_HOST',
  'METRICS_PORT',
  'METRICS_HOST',
  'SERVICE_TOKEN',
  'PUBLIC_URL',
  'TLS_CERT',
  'TLS_KEY',
  'TRUSTED_PROXIES',
  'RATE_LIMITS',
  'ACCOUNT_LIMITS',
  'DATABASE_DISK',
  'DISK_FLOOR',
  'CONSOLE_OPEN_LINE',
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'KEY_PEPPER',
  'KEY_PEPPER_ALSO',
  'DATA_KEY',
  'DATA_KEY_ALSO',
  'UNSAFE_DATABASE',
  'DATA_DIR',
  'BACKUP_DIR',
  'BACKUP_EVERY',
  'BACKUP_KEEP',
  'BACKUP_PASSPHRASE',
  'NATS_URL',
  'RPC_URL',
  'SMTP_URL',
  'MAIL_FROM',
  'MAIL_BOUNCE',
  'MAIL_BOUNCE_IMAP',
  'SMTP_URL_2',
  'MAIL_FROM_2',
  'TWILIO_ACCOUNT_SID',
  'TWILIO_AUTH_TOKEN',
  'TWILIO_FROM',
  'TWILIO_API_URL',
  'TWILIO_WHATSAPP_FROM',
  'TWILIO_WHATSAPP_TEMPLATES',
  'TELNYX_API_KEY',
  'TELNYX_PUBLIC_KEY',
  'TELNYX_FROM',
  'TELNYX_TEXML_APP',
  'TELNYX_API_URL',
  'GATEWAY_URL',
  'GATEWAY_SECRET',
  'GATEWAY_SIGNATURE',
  'NTFY_URL',
  'NTFY_TOKEN',
  'PUSHOVER_TOKEN',
  'PUSHOVER_API_URL',
  'WEB_PUSH_CONTACT',
  'TELEGRAM_TOKEN',
  'TELEGRAM_API_URL',
  'SIGNAL_URL',
  'SIGNAL_NUMBER',
  'APPRISE_URL',
  'CARRIERS_TEXT',
  'CARRIERS_CALL',
  'CARRIERS_EMAIL',
  'CONSOLE_CARRIERS',
  'OUTBOUND_NETWORKS',
  'CONTACT_VERIFICATION',
  'DEMO_EMAIL',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'PLAN_DEFAULT',
  'RETENTION_CALLS',
  'RETENTION_INCIDENTS',
  'RETENTION_AUDIT',
  'CONSOLE_TOKEN',
  'CONFIG_FILE',
  'LOG_LEVEL',
  'HEARTBEAT_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'TOCSIN_RPC_URL',
  'TOCSIN_TOKEN',
  'TOCSIN_ACCOUNT',
  'TOCSIN_KEY',
] as const;

/** From this length (without _FILE) two letters may differ, else one. With more, SSL_CERT_FILE would look like one of ours. */
const LONG = 12;

/**
 * Returns a warning for each variable whose name is nearly one of ours: nothing reads it, though somebody probably meant it to
 * be read. Warnings never contain values.
 */
export function misspeltSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  const ours = new Set(SETTING_NAMES.flatMap(name => [name, `${name}_FILE`]));
  return Object.keys(env).flatMap(name => {
    if (ours.has(name) || !env[name]) return [];
    const meant = suggestion(name, ours, name.replace(/_FILE$/i, '').length >= LONG ? 2 : 1);
    // If the right name is set too, this variable is probably for another program.
    return meant === '' || env[meant] ? [] : [`${name} is set, and nothing reads it: did you mean ${meant}?`];
  });
}
