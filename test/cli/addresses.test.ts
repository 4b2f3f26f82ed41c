import { expect, test } from 'vitest';
import { wrongAddress } from '../../facade/cli/wizard-questions.ts';
import { contact } from '../../services/configuration/resources/contact.ts';
import { CHANNELS } from '../../services/process/vocabulary.ts';

const ADDRESSES = [
  '+1202555',
  '+12025550',
  '+120255501112345',
  '+1202555011123456',
  '+02025550111',
  '12025550111',
  '+1 202 555 0111',
  'anna@example.com',
  'anna',
  'anna@',
  'a b@example.com',
  `${'a'.repeat(250)}@example.com`,
  'my-topic_1',
  'my topic',
  'https://ntfy.example.com/topic',
  'http://ntfy.example.com/topic',
  'https://',
  'https:///topic',
  `https://example.com/${'x'.repeat(480)}`,
  `https://example.com/${'x'.repeat(481)}`,
];

test.each(
  CHANNELS.flatMap(channel => ADDRESSES.map(address => [channel, address] as const)),
)('the setup refuses for %s what the services refuse: %s', (channel, address) => {
  const asked = { key: 'anna', name: 'Anna', channels: [{ channel, address }] };
  const stored = contact.schema.safeParse(asked);
  expect(wrongAddress(channel, address) === undefined).toBe(stored.success);
});
