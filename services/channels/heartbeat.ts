import { get, HttpFault } from './http.ts';
import { isTaken, noAnswer } from './http-words.ts';

/** How long whoever waits for the heartbeat may take to answer, in milliseconds. */
const ANSWERS_MS = 5_000;

/**
 * Returns the function that calls HEARTBEAT_URL, as Healthchecks takes it: the address itself while all is well, and with
 * `/fail` behind it when something is not. Resolves to why nobody heard it, in words; null if somebody did. Never rejects.
 */
export function createHeartbeat(url: string): (said: 'well' | 'fail') => Promise<string | null> {
  return async said => {
    try {
      const answer = await get(said === 'well' ? url : `${url}/fail`, {
        headers: { 'user-agent': 'tocsin' },
        timeoutMs: ANSWERS_MS,
        counts: 'status',
      });
      if (isTaken(answer)) return null;
      if (answer.status >= 300 && answer.status < 400) {
        return `HEARTBEAT_URL leads elsewhere (${answer.status}), which is not followed: name the address that it leads to`;
      }
      return `HEARTBEAT_URL answered ${answer.status}`;
    } catch (fault) {
      if (!(fault instanceof HttpFault)) return 'HEARTBEAT_URL could not be called';
      const outcome = noAnswer('HEARTBEAT_URL', fault, 'of_the_deployment');
      return 'reason' in outcome && outcome.reason ? outcome.reason : 'HEARTBEAT_URL could not be called';
    }
  };
}
