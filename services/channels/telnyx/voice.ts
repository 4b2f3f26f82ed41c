/** The makers of voices that Telnyx and others share. */
const SHARED = /^(Polly|Azure)\./;

/**
 * Returns the voice of a contact as Telnyx takes it. Only `alice` speaks each language; `man` and `woman` speak English
 * alone, and of a voice that it does not know nothing would be heard.
 */
export function voiceAt(voice: string): string {
  return SHARED.test(voice) ? voice : 'alice';
}
