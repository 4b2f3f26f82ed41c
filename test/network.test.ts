import { expect, test } from 'vitest';
import { networkOf } from '../services/process/network.ts';

test.each([
  ['192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
  ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
  ['::FFFF:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff::1', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['2001:db8:1::2:3', '2001:db8:1:0::/64', '2001:db8:1:0::/64'],
  ['2001:0db8::', '2001:db8:0:0::/64', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64', '64:ff9b:0:0::/64'],
  ['::1', '0:0:0:0::/64', '0:0:0:0::/64'],
  ['', '', ''],
  ['relay', 'relay', 'relay'],
])('limits by address count %s as %s, or as %s with its neighbours', (address, alone, withNeighbours) => {
  expect(networkOf(address)).toBe(alone);
  expect(networkOf(address, 24)).toBe(withNeighbours);
});
