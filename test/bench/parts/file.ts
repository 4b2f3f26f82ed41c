import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { AccountService } from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import { type ApplyResult, ConfigurationService } from '../../../gen/tocsin/console/v1/configuration_pb.ts';
import type { ConsoleDoor } from './lists.ts';

const ALARMS = 10_000;

/** How long a file takes, from the call to the result, in seconds. */
export interface FileApplied {
  alarms: number;
  first: number;
  /** Once more, with nothing changed. */
  again: number;
  /** The slowest answer of the facade while the file was applied the first time, in milliseconds. */
  slowestMs: number;
}

/** Applies a file of many alarms to a fresh account, twice, and looks how long others wait meanwhile. Throws where it is refused. */
export async function measureApply(door: ConsoleDoor, url: string): Promise<FileApplied> {
  const transport = createConnectTransport({ baseUrl: door.rpcUrl, httpVersion: '1.1' });
  const as = { headers: { authorization: `Bearer ${door.token}` } };
  const { token } = await createClient(AccountService, transport).createAccount({ account: { name: 'File' } }, as);
  const watch = watchWaits(url);
  const first = await timedApply(transport, token, 'applied');
  const slowestMs = await watch.stop();
  const again = await timedApply(transport, token, 'unchanged');
  return { alarms: ALARMS, first, again, slowestMs };
}

async function timedApply(transport: Transport, token: string, wanted: ApplyResult['outcome']): Promise<number> {
  const client = createClient(ConfigurationService, transport);
  const began = performance.now();
  for await (const { event } of client.apply({ text: file() }, { headers: { authorization: `Bearer ${token}` } })) {
    if (event.case !== 'result') continue;
    if (event.value.outcome !== wanted) throw new Error(`The file was ${event.value.outcome}, not ${wanted}.`);
    return (performance.now() - began) / 1_000;
  }
  throw new Error('The apply ended without a result.');
}

function file(): string {
  const lines = Array.from(
    { length: ALARMS },
    (_, n) => `  - key: alarm-${n}
    name: Alarm ${n}
    location: place-${n % 100}
    test: false
    modes: [{ id: home, policy: somebody }, { id: away, policy: somebody, windowS: 30 }, { id: night, policy: somebody }]
`,
  );
  const places = Array.from({ length: 100 }, (_, n) => `  - { key: place-${n}, name: Place ${n} }\n`);
  return `version: 1
locations:
${places.join('')}contacts:
  - { key: somebody, name: Somebody, channels: [{ channel: email, address: somebody@tocsin.invalid }] }
policies:
  - { key: somebody, name: Somebody, steps: [{ contacts: [{ contact: somebody, channels: [email] }] }] }
alarms:
${lines.join('')}`;
}

/** Asks again and again, one call at a time, and remembers the slowest. */
function watchWaits(url: string): { stop(): Promise<number> } {
  let state: 'on' | 'off' = 'on';
  const watching = (async () => {
    let slowest = 0;
    while (state === 'on') {
      const began = performance.now();
      await (await fetch(url)).arrayBuffer();
      slowest = Math.max(slowest, performance.now() - began);
    }
    return slowest;
  })();
  return {
    stop() {
      state = 'off';
      return watching;
    },
  };
}
