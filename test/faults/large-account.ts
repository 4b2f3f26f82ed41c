import { inspect } from 'node:util';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect } from 'vitest';
import { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { ApiKeyService } from '../../gen/tocsin/console/v1/api_keys_pb.ts';
import { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';

const ALARMS = 10_000;

/** Makes an account with 10,000 alarms, as an owner would: by a file; gives a key of it. */
export function largeAccount(rpc: string, operatorToken: string): Promise<AccountOfFile> {
  const alarms = Array.from({ length: ALARMS }, (_, n) => `  - { key: alarm-${n}, name: Alarm ${n}, location: here }`);
  const text = `version: 1\nlocations:\n  - { key: here, name: Here }\nalarms:\n${alarms.join('\n')}\n`;
  return accountOfFile(rpc, operatorToken, text);
}

/** An account that was made of a file. */
export interface AccountOfFile {
  apiKey: string;
  /** The console token of its owner. */
  token: string;
}

/** Makes an account of a file, as an owner would; gives a key of it. */
export async function accountOfFile(rpc: string, operatorToken: string, text: string): Promise<AccountOfFile> {
  const transport = createConnectTransport({ baseUrl: rpc, httpVersion: '1.1' });
  const operator = { headers: { authorization: `Bearer ${operatorToken}` } };
  const { token } = await createClient(AccountService, transport).createAccount(
    { account: { name: 'Large' } },
    operator,
  );
  const as = { headers: { authorization: `Bearer ${token}` } };
  for await (const { event } of createClient(ConfigurationService, transport).apply({ text }, as)) {
    if (event.case === 'result') expect(event.value.outcome, inspect(event.value.problems)).toBe('applied');
  }
  const { secret } = await createClient(ApiKeyService, transport).createApiKey({ apiKey: { label: 'Crowd' } }, as);
  return { apiKey: secret, token };
}
