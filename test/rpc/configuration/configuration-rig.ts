import { type Client, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { AccountService } from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import {
  type ApplyProgress,
  type ApplyResult,
  type CheckResponse,
  ConfigurationService,
  type Problem,
} from '../../../gen/tocsin/console/v1/configuration_pb.ts';
import { startWorld, type World } from '../../support/world.ts';

/** An account that is configured by files, over RPC, with its own token. */
export interface Configured {
  accountId: string;
  headers: { authorization: string };
  client: Client<typeof ConfigurationService>;
  check(text: string, more?: { prune?: boolean; secrets?: Record<string, string> }): Promise<CheckResponse>;
  /** Gives the result; `progress` gets what came before it. */
  apply(
    text: string,
    more?: { prune?: boolean; secrets?: Record<string, string>; progress?: ApplyProgress[] },
  ): Promise<ApplyResult>;
  export(): Promise<string>;
}

/** A world, and accounts in it that were made over RPC: each with a token of its own. */
export async function startConfigured(): Promise<{ world: World; account(name?: string): Promise<Configured> }> {
  const world = await startWorld();
  const transport = createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' });
  const client = createClient(ConfigurationService, transport);
  const accounts = createClient(AccountService, transport);
  return {
    world,
    async account(name = 'An account') {
      const operator = { headers: { authorization: `Bearer ${world.operator}` } };
      const { account, token } = await accounts.createAccount({ account: { name } }, operator);
      const headers = { authorization: `Bearer ${token}` };
      return {
        accountId: account!.id,
        headers,
        client,
        check: (text, more = {}) => client.check({ text, ...more }, { headers }),
        async apply(text, { progress = [], ...more } = {}) {
          for await (const { event } of client.apply({ text, ...more }, { headers })) {
            if (event.case === 'result') return event.value;
            if (event.case === 'progress') progress.push(event.value);
          }
          throw new Error('The stream ended without a result.');
        },
        export: async () => (await client.export({}, { headers })).text,
      };
    },
  };
}

/** Problems as `line field sentence (meant)`. */
export function told(problems: readonly Problem[]): string[] {
  return problems.map(({ line, field, problem, didYouMean }) =>
    [line, field, problem, didYouMean && `(${didYouMean})`].filter(part => part !== '').join(' '),
  );
}

/** Changes as `action kind key field,field`. */
export function changed(changes: ApplyResult['changes']): string[] {
  return changes.map(({ action, kind, key, fields }) =>
    [action, kind, key, fields.map(({ field }) => field).join()].filter(part => part !== '').join(' '),
  );
}

/** One of everything. Its secrets: `env:HOOK_URL`. */
export const HOME = `version: 1
account: { name: Home }
locations:
  - { key: home, name: Home, address: "12 Example Street\\n1010 Example City", test: false }
contacts:
  - key: anna
    name: Anna Example
    locale: de-AT
    timeZone: Europe/Vienna
    voice: Polly.Vicki
    channels:
      - { channel: email, address: anna@example.com }
      - { channel: webhook, address: { env: HOOK_URL } }
policies:
  - key: family
    name: Family
    steps:
      - { delayS: 0, contacts: [{ contact: anna, channels: [email, webhook] }] }
    repeat: 1
    repeatDelayS: 600
alarms:
  - key: house
    name: House
    location: home
    test: false
    modes: [{ id: away, policy: family, windowS: 30 }, { id: home }]
panicButtons:
  - { key: bed, name: Bedside, location: home, responseKind: medical, policy: family }
apiKeys:
  - { key: camera, label: Camera, alarm: house }
`;

export const SECRETS = { 'env:HOOK_URL': 'https://hooks.example.com/s3cret' };

/** A file of so many alarms at one location, and what else is said. */
export function alarms(count: number, more = ''): string {
  const modes = '[{ id: away, windowS: 30 }]';
  const lines = Array.from({ length: count }, (_, n) => {
    return `  - { key: alarm-${n}, name: Alarm ${n}, location: home, test: false, modes: ${modes} }\n`;
  });
  return `version: 1\nlocations: [{ key: home, name: Home }]\nalarms:\n${lines.join('')}${more}`;
}
