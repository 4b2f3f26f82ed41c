import { addressOf } from '../way/router.ts';

/**
 * Has the browser say that there is no line, where there is none when the console is opened (facade/worker/worker.js). Browsers let a
 * page do so over an encrypted line, or on this machine.
 */
export function bringWorker(): void {
  const url = addressOf('worker.js');
  // The policy of the page lets no script be loaded by a text alone; this one names the one that may be.
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const trusted = trustedTypes?.createPolicy('worker', { createScriptURL: () => url }).createScriptURL('') ?? url;
  // What cannot be brought along now is at the next visit.
  navigator.serviceWorker?.register(trusted as string, { scope: addressOf('./') }).catch(() => {});
}

/** As the browser has them; TypeScript knows them not yet. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): unknown };
}
