import { expect, test } from 'vitest';
import { FIXES } from '../../../facade/console/page/parts/fixes.ts';
import { CONSOLE_PATHS } from '../../../facade/console/site.ts';
import { words } from '../../../facade/console/words/en/first.ts';
import { ACCOUNT_FINDING_CODES, FINDING_CODES } from '../../../services/domain/readiness.ts';

const [SOURCE, POLICY, CONTACT, PLACE] = ['s', 'p', 'c', 'l'].map(letter => letter.repeat(32)) as [
  string,
  string,
  string,
  string,
];

const served = (path: string) =>
  CONSOLE_PATHS.some(pattern => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path));

test.for([
  ...FINDING_CODES,
  ...ACCOUNT_FINDING_CODES,
])('what is found leads to a field where it is mended, with a word for it: %s', code => {
  expect(words.findings.of[code]).toHaveLength(2);
  for (const sourceKind of ['alarm', 'panic_button']) {
    const of = { sourceId: SOURCE, sourceKind, mode: sourceKind === 'alarm' ? 'night' : '', policyId: POLICY };
    const screen = FIXES[code]!({ ...of, contactId: CONTACT, channel: 'text', locationId: PLACE });
    const { pathname, hash } = new URL(screen, 'http://console/');
    expect(served(pathname) || /^\/(people|policies)\//.test(pathname), screen).toBe(true);
    expect(hash, screen).toMatch(/^#[a-z-]+$/);
    expect(screen).not.toContain('undefined');
  }
});
