import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect } from 'vitest';
import { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { ApiKeyService } from '../../gen/tocsin/console/v1/api_keys_pb.ts';
import { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';

const ALARMS = 10_000;

/** Makes an account with 10,000 alarms, as an owner would: by a file; gives a key of it. */
export async function largeAccount(rpc: string, operatorToken: string): Promise<{ apiKey: string }> {
  const transport = createConnectTransport({ baseUrl: rpc, httpVersion: '1.1' });
  const operator = { headers: { authorization: `Bearer ${operatorToken}` } };
  const { token } = await createClient(AccountService, transport).createAccount(
    { account: { name: 'Large' } },
    operator,
  );
  const as = { headers: { authorization: `Bearer ${token}` } };
  const alarms = Array.from({ length: ALARMS }, (_, n) => `  - { key: alarm-${n}, name: Alarm ${n}, location: here }`);
  const text = `version: 1\nlocations:\n  - { key: here, name: Here }\nalarms:\n${alarms.join('\n')}\n`;
  for await (const { event } of createClient(ConfigurationService, transport).apply({ text }, as)) {
    if (event.case === 'result') expect(event.value.outcome).toBe('applied');
  }
  const { secret } = await createClient(ApiKeyService, transport).createApiKey({ apiKey: { label: 'Crowd' } }, as);
  return { apiKey: secret };
}
