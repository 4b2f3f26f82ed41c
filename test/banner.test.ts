import { expect, test } from 'vitest';
import { type Facts, friendlyLines, readyFacts } from '../services/start/banner.ts';

const DEMO = {
  accountId: 'a'.repeat(32),
  apiKey: 'toc_secret',
  liveAlarmId: 'l'.repeat(32),
  testAlarmId: 't'.repeat(32),
  testPanicId: 'p'.repeat(32),
};

const FIRST_START: Facts = {
  process: 'standalone',
  version: '1.2.3',
  http: 'http://localhost:8080',
  rpc: 'http://127.0.0.1:8081',
  metrics: 'http://127.0.0.1:9464',
  data: { kind: 'embedded', folder: '/srv/tocsin/.data' },
  channelsWithoutCarrier: ['text', 'call', 'email'],
  carrierProblems: [],
  reachableAt: null,
  exportOfPath: null,
  demo: DEMO,
  demoEmail: 'not_set',
  consoleToken: 'tcn_secret',
  consoleTokenSetting: 'not_set',
  signInUrl: 'http://localhost:8080/sign-in#tcl_once',
};

const LATER_START: Facts = { ...FIRST_START, demo: null, consoleToken: null, signInUrl: null };

test('machines read the URLs of what a process serves, and the API key and where to sign in at the first start only', () => {
  const standalone = {
    process: 'standalone',
    http: 'http://localhost:8080',
    rpc: 'http://127.0.0.1:8081',
    realtime: 'ws://localhost:8080/event/realtime',
    metrics: 'http://127.0.0.1:9464',
  };
  expect(readyFacts(FIRST_START)).toEqual({
    ...standalone,
    apiKey: 'toc_secret',
    signInUrl: 'http://localhost:8080/sign-in#tcl_once',
  });
  expect(friendlyLines(FIRST_START)).toContain('\n\n  http://localhost:8080/sign-in#tcl_once\n\n');
  expect(friendlyLines(LATER_START)).not.toContain('sign-in');
  expect(readyFacts(LATER_START)).toEqual(standalone);
  expect(readyFacts({ ...LATER_START, http: 'https://alarm.example.com' })).toMatchObject({
    realtime: 'wss://alarm.example.com/event/realtime',
  });
  const apart = { ...LATER_START, process: 'services', http: 'https://alarm.example.com' } as const;
  const metrics = 'http://127.0.0.1:9464';
  expect(readyFacts(apart)).toEqual({ process: 'services', rpc: 'http://127.0.0.1:8081', metrics });
  expect(friendlyLines(apart)).toContain(`  Metrics  ${metrics}/metrics\n`);
  const beside = { ...apart, metrics: null };
  expect(readyFacts(beside)).not.toHaveProperty('metrics');
  expect(friendlyLines(beside)).not.toContain('Metrics');
});

test('people at services that run apart read lines to paste, and no URL of what these do not serve', () => {
  const text = friendlyLines({ ...FIRST_START, process: 'services', http: null });
  expect(text).not.toContain('API   ');
  expect(text).toContain('http://localhost:8080/v1/alarm/');
  const told = friendlyLines({ ...FIRST_START, process: 'services', http: 'https://alarm.example.com' });
  expect(told).toContain('https://alarm.example.com/v1/alarm/');
});

test('people read that links open on this machine alone, where others may reach it, and which carriers do not work', () => {
  const text = friendlyLines({
    ...LATER_START,
    carrierProblems: [{ channel: 'email', problem: 'the mail server could not be reached' }],
    reachableAt: ['http://192.168.1.5:8080', 'http://10.0.0.7:8080'],
  });
  expect(text).toContain('The carrier of email does not work: the mail server could not be reached.');
  expect(text).toContain('Links in messages lead to http://localhost:8080, which opens on this machine alone');
  expect(text).toContain('\n  http://192.168.1.5:8080\n  http://10.0.0.7:8080\n');
  expect(text).toContain('export PUBLIC_URL=http://192.168.1.5:8080');
  expect(friendlyLines(LATER_START)).not.toMatch(/this machine alone|does not work/);
});

test('people read the version, every URL, where the data are and which channels send nothing', () => {
  const text = friendlyLines(FIRST_START);
  expect(text).toContain('Tocsin 1.2.3 is ready.');
  for (const place of ['http://localhost:8080/v1', 'http://localhost:8080/docs', 'http://127.0.0.1:8081']) {
    expect(text).toContain(place);
  }
  expect(text).toContain('/srv/tocsin/.data');
  expect(text).toContain('No carrier is set up for text, call, email: such messages are kept and never sent.');
  expect(friendlyLines({ ...FIRST_START, channelsWithoutCarrier: [] })).not.toContain('No carrier');
});

test('the first start gives lines to paste: the key once, then arm, trigger, state and clear of the live alarm', () => {
  const lines = friendlyLines(FIRST_START).split('\n');
  const from = lines.indexOf('export TOCSIN_KEY=toc_secret');
  const call = (path: string) => `curl -H "X-API-Key: $TOCSIN_KEY" http://localhost:8080/v1/${path}`;
  expect(lines.slice(from + 1, from + 5)).toEqual([
    call(`alarm/${DEMO.liveAlarmId}/arm`),
    call(`alarm/${DEMO.liveAlarmId}/trigger`),
    call('integration/state'),
    call(`alarm/${DEMO.liveAlarmId}/clear`),
  ]);
  expect(lines.join('\n').split('toc_secret')).toHaveLength(2);
});

test('the banner says whether the live alarm sends a real email', () => {
  expect(friendlyLines(FIRST_START)).toContain('DEMO_EMAIL, which is not set, so its email is kept and not sent');
  expect(friendlyLines({ ...FIRST_START, demoEmail: 'set' })).toContain('it writes to the address in DEMO_EMAIL');
});

test('a later start shows no secret and says where the key was', () => {
  const text = friendlyLines(LATER_START);
  expect(text).not.toMatch(/toc_|tcn_/);
  expect(text).toMatch(/the demo key and the operator's token: at the first start/);
  expect(text).toContain('http://localhost:8080/docs/operating#a-lost-token-or-key');
  expect(text).toContain('curl -H "X-API-Key: $TOCSIN_KEY" http://localhost:8080/v1/integration/describe');
});

test('the password of a database of one’s own is not shown', () => {
  const text = friendlyLines({
    ...LATER_START,
    data: { kind: 'external', url: 'postgres://me:hunter2@db:5433/alarms' },
  });
  expect(text).toContain('database alarms at db:5433');
  expect(text).not.toContain('hunter2');
});

test('the first start gives what the incident service asks for: console token and account, and only then', () => {
  const text = friendlyLines(FIRST_START);
  expect(text).toContain(`export TOCSIN_TOKEN=tcn_secret\nexport TOCSIN_ACCOUNT=${DEMO.accountId}`);
  expect(friendlyLines(LATER_START)).not.toContain('TOCSIN_TOKEN');
});

test('the line that makes a shell find tocsin comes first of those for it, at every start that needs it', () => {
  const line = 'export PATH="/srv/tocsin/facade/cli/bin:$PATH"';
  expect(friendlyLines({ ...FIRST_START, exportOfPath: line })).toContain(`${line}\nexport TOCSIN_TOKEN=tcn_secret\n`);
  expect(friendlyLines({ ...LATER_START, exportOfPath: line })).toContain(`\n${line}\n`);
  expect(friendlyLines(LATER_START)).not.toContain('For the command line');
});

test('every export that the command line needs is there: where the RPC port is, unless that is the usual one', () => {
  expect(friendlyLines(FIRST_START)).not.toContain('TOCSIN_RPC_URL');
  for (const start of [FIRST_START, LATER_START]) {
    expect(friendlyLines({ ...start, rpc: 'http://127.0.0.1:9001' })).toMatch(
      /^export TOCSIN_RPC_URL=http:\/\/127\.0\.0\.1:9001$/m,
    );
  }
});

test('of a token that the operator chose only its setting is named', () => {
  const text = friendlyLines({ ...FIRST_START, consoleToken: null, consoleTokenSetting: 'set' });
  expect(text).toContain("The operator's token is the one in CONSOLE_TOKEN: export it as TOCSIN_TOKEN.");
});
