import { expect, test } from 'vitest';
import { placeOf } from '../../services/channels/answers.ts';
import { CHANNELS } from '../../services/domain/delivery.ts';
import { answersTo, OUTSIDE, respondFrom } from '../../services/domain/way-back.ts';
import { reachedFrom } from '../../services/process/public-address.ts';

const [HERE, HOME, WORLD] = ['http://localhost:8080', 'http://192.168.1.10:8080', 'https://alarm.example.com'] as const;

test.each([
  ['a carrier outside', OUTSIDE, { here: 'lost', home: 'lost', world: 'come_back' }],
  [
    'its stand-in on this machine',
    { ...OUTSIDE, host: '127.0.0.1' },
    { here: 'lost', home: 'lost', world: 'come_back' },
  ],
  [
    'a gateway on this machine',
    placeOf('http://127.0.0.1:9'),
    { here: 'come_back', home: 'come_back', world: 'come_back' },
  ],
  ['a gateway in the network', placeOf('http://modem.lan'), { here: 'lost', home: 'come_back', world: 'come_back' }],
  ['a gateway outside', placeOf('https://sms.example.com'), { here: 'lost', home: 'lost', world: 'come_back' }],
] as const)('%s: what people answer comes back or is lost', (_who, place, then) => {
  expect({
    here: answersTo(placeOf(HERE), place),
    home: answersTo(placeOf(HOME), place),
    world: answersTo(placeOf(WORLD), place),
  }).toEqual(then);
});

test('a carrier reaches the host that it runs on', () => {
  expect(answersTo(placeOf('http://127.0.0.1:8080'), { ...OUTSIDE, host: '127.0.0.1' })).toBe('come_back');
});

test.each([
  [
    HERE,
    'lost',
    { text: 'nowhere', call: 'nowhere', email: 'nowhere', push: 'nowhere', chat: 'anywhere', webhook: 'anywhere' },
  ],
  [
    HERE,
    'come_back',
    { text: 'anywhere', call: 'anywhere', email: 'nowhere', push: 'nowhere', chat: 'anywhere', webhook: 'anywhere' },
  ],
  [
    HOME,
    'lost',
    { text: 'network', call: 'nowhere', email: 'network', push: 'network', chat: 'anywhere', webhook: 'anywhere' },
  ],
  [
    HOME,
    'come_back',
    { text: 'anywhere', call: 'anywhere', email: 'network', push: 'network', chat: 'anywhere', webhook: 'anywhere' },
  ],
  [
    WORLD,
    'come_back',
    { text: 'anywhere', call: 'anywhere', email: 'anywhere', push: 'anywhere', chat: 'anywhere', webhook: 'anywhere' },
  ],
] as const)('with %s and answers that %s people can respond from there', (url, answers, from) => {
  expect(
    Object.fromEntries(CHANNELS.map(channel => [channel, respondFrom(channel, reachedFrom(url), answers)])),
  ).toEqual(from);
});
