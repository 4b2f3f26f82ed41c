import { OWN_VALUES } from '../store/session.ts';

/**
 * Returns the `options` of a connection that copies whole tables: no statement timeout, because tables may be large; and
 * values are written in the same form by every server, whatever it is set to.
 */
export function plainSession(): string {
  return [
    ...OWN_VALUES,
    '-c statement_timeout=0',
    '-c lock_timeout=20s',
    '-c idle_in_transaction_session_timeout=60s',
    '-c client_encoding=UTF8',
    '-c client_min_messages=warning',
  ].join(' ');
}
