import { randomInt } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Gauge } from 'prom-client';
import { shapeSecret } from '../services/process/secret-shape.ts';

/** How long the facade may take to answer itself, in milliseconds. */
const ANSWERS_MS = 3_000;

const ownWayWorks = new Gauge({
  name: 'tocsin_http_own_way',
  help: 'Whether this facade answered a call at its own door as it has to when it last asked itself: 1, else 0.',
});
// What alerts go by is there from the start.
ownWayWorks.set(1);

/**
 * Asks a facade at its own door, as a device would: through its port, its TLS and its limits to the services, which look a
 * key up in the database. The key has the right form, and nobody has it, so the one right answer is a 401: a key of its own
 * would open something, and a source of its own would have to be kept from every list. `url`: of the facade, as seen from
 * this machine. Never rejects.
 */
export async function askOwnWay(url: string): Promise<'answers' | 'fails'> {
  const became = (await statusOf(`${url}/v1/integration/state`).catch(() => 0)) === 401 ? 'answers' : 'fails';
  ownWayWorks.set(became === 'answers' ? 1 : 0);
  return became;
}

function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? httpsRequest : httpRequest;
    const asked = request(url, {
      headers: { 'x-api-key': unknownKey() },
      agent: false,
      // The certificate is for the name that devices use.
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(ANSWERS_MS),
    });
    asked.once('error', reject);
    asked.once('response', response => {
      resolve(response.statusCode ?? 0);
      asked.destroy();
    });
    asked.end();
  });
}

/** Another one each time: what is unknown is remembered for a while, and would not be looked up. */
function unknownKey(): string {
  const letters = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
  return shapeSecret('toc', letters);
}
