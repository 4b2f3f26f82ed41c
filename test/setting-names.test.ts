import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { misspeltSettings, SETTING_NAMES } from '../services/process/setting-names.ts';

test('the names are those of the table of settings in facade/docs/operating.md, and those that the command line and its examples read', () => {
  const page = readFileSync(new URL('../facade/docs/operating.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('| Variable | Default |'), page.indexOf('The command line reads'));
  const named = [...table.matchAll(/`([A-Z]+(?:_[A-Z0-9]+)+)`/g)].map(([, name]) => name!);
  const documented = new Set(named.filter(name => name !== 'NAME_FILE'));
  const ofTheProcesses = SETTING_NAMES.filter(name => !name.startsWith('TOCSIN_'));
  expect([...documented].sort()).toEqual([...ofTheProcesses].sort());
});

test.each([
  ['SMPT_URL', 'SMTP_URL'],
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['http_port', 'HTTP_PORT'],
  ['TWILIO_ACOUNT_SID', 'TWILIO_ACCOUNT_SID'],
  ['DATABASE_ULR_FILE', 'DATABASE_URL_FILE'],
  ['TOCSIN_TOKN', 'TOCSIN_TOKEN'],
])('%s, which nearly is %s, is said without its value', (name, meant) => {
  expect(misspeltSettings({ [name]: 'hunter2' })).toEqual([
    `${name} is set, and nothing reads it: did you mean ${meant}?`,
  ]);
  // Where both are set, this one is for another program.
  expect(misspeltSettings({ [name]: 'hunter2', [meant]: 'x' })).toEqual([]);
});

test('a setting that exists, an empty one and one of another program are not reported', () => {
  const others = [
    'PATH',
    'HOME',
    'PORT',
    'HTTP_PROXY',
    'http_proxy',
    'NATS_PORT',
    'LOGNAME',
    'XDG_DATA_DIRS',
    'NODE_ENV',
    'SSL_CERT_FILE',
  ];
  const env = Object.fromEntries([...SETTING_NAMES, ...others].map(name => [name, 'x']));
  expect(misspeltSettings({ ...env, SMPT_URL: '', RPC_HOSTS: undefined })).toEqual([]);
});
