import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { get } from '../../services/channels/http.ts';
import { createOutbound, type Resolve, resolveInside, resolveOutside } from '../../services/channels/outbound.ts';

const NOT_PUBLIC = 'the address is not allowed: it does not lead to a public address';
const ONLY_HTTPS = 'the address is not allowed: it must begin with https://';

const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.1', '192.0.3.1'];
const PUBLIC_V6 = ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001:80b::200e'];

/** One or two of each range that is not public, its edges among them. */
const KEPT_OUT = [
  ['unspecified', '0.0.0.0'],
  ['this network', '0.255.255.255'],
  ['private 10/8', '10.0.0.1'],
  ['private 10/8', '10.255.255.255'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['carrier-grade NAT', '100.127.255.255'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link-local', '169.254.0.1'],
  ['the metadata of clouds', '169.254.169.254'],
  ['private 172.16/12', '172.16.0.1'],
  ['private 172.16/12', '172.31.255.255'],
  ['protocol assignments', '192.0.0.170'],
  ['documentation', '192.0.2.1'],
  ['6to4 relays', '192.88.99.1'],
  ['private 192.168/16', '192.168.1.1'],
  ['benchmarks', '198.18.0.1'],
  ['benchmarks', '198.19.255.255'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['multicast', '224.0.0.1'],
  ['multicast', '239.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped private', '::ffff:10.0.0.1'],
  ['IPv4-mapped metadata', '::ffff:169.254.169.254'],
  ['IPv4-mapped public', '::ffff:8.8.8.8'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['local NAT64', '64:ff9b:1::1'],
  ['discard', '100::1'],
  ['Teredo', '2001::1'],
  ['documentation', '2001:db8::1'],
  ['6to4 of a private address', '2002:7f00:1::1'],
  ['documentation', '3fff::1'],
  ['unique local', 'fc00::1'],
  ['unique local', 'fd00:ec2::254'],
  ['link-local', 'fe80::1'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
] as const;

describe('an address in the URL', () => {
  test.each(KEPT_OUT)('%s: %s is refused', (_what, address) => {
    const outbound = createOutbound([]);
    expect(outbound(`https://${inUrl(address)}/hook`)).toEqual({ kind: 'not_allowed', reason: NOT_PUBLIC });
    expect(outbound(`http://${inUrl(address)}/hook`)).toEqual({ kind: 'not_allowed', reason: NOT_PUBLIC });
  });

  test.each([...PUBLIC, ...PUBLIC_V6])('%s is allowed by https, not by http', address => {
    const outbound = createOutbound([]);
    expect(outbound(`https://${inUrl(address)}/hook`)).toMatchObject({ kind: 'allowed' });
    expect(outbound(`http://${inUrl(address)}/hook`)).toEqual({ kind: 'not_allowed', reason: ONLY_HTTPS });
  });

  test.each([
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '0',
    '%31%32%37.0.0.1',
    '127。0。0。1',
    '[::ffff:7f00:1]',
  ])('%s is loopback in disguise and refused', written => {
    expect(createOutbound([])(`https://${written}/`)).toEqual({ kind: 'not_allowed', reason: NOT_PUBLIC });
  });
});

describe('a URL that is none, or none of the web', () => {
  test.each([
    ['', 'it is no URL'],
    ['anna.example.com/hook', 'it is no URL'],
    ['https://', 'it is no URL'],
    ['https://exa mple.com', 'it is no URL'],
    ['ftp://example.com', 'it must begin with https://'],
    ['file:///etc/passwd', 'it must begin with https://'],
    ['javascript:alert(1)', 'it must begin with https://'],
    ['gopher://127.0.0.1:25/_HELO', 'it must begin with https://'],
  ])('%s: %s', (url, why) => {
    expect(createOutbound([])(url)).toEqual({ kind: 'not_allowed', reason: `the address is not allowed: ${why}` });
  });
});

describe('a name is judged by the address that is connected to', () => {
  test.each(KEPT_OUT)('%s: one that leads to %s is refused', async (_what, address) => {
    expect(await looked('https://anywhere.test', [address])).toBe('it does not lead to a public address');
  });

  test.each([...PUBLIC, ...PUBLIC_V6])('one that leads to %s is connected there', async address => {
    expect(await looked('https://anywhere.test', [address])).toEqual([address]);
    expect(await looked('http://anywhere.test', [address])).toBe('it must begin with https://');
  });

  test('of several addresses only the public ones are', async () => {
    expect(await looked('https://anywhere.test', ['127.0.0.1', '8.8.8.8', '::1', '10.0.0.1'])).toEqual(['8.8.8.8']);
  });

  test('one that leads elsewhere the second time is refused the second time', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const target = createOutbound([], (_host, found) => found(null, answers.shift() ?? []))('https://anywhere.test');
    expect(await lookUp(target)).toEqual(['8.8.8.8']);
    expect(await lookUp(target)).toBe('it does not lead to a public address');
  });

  test('which holds for a request that is made', async () => {
    const target = createOutbound([], (_host, found) => found(null, ['127.0.0.1', '::1']))('https://anywhere.test:1');
    if (target.kind !== 'allowed') throw new Error(target.reason);
    const answer = get(target.url.href, { headers: {}, timeoutMs: 5_000, lookup: target.lookup });
    await expect(answer).rejects.toMatchObject({ kind: 'not_allowed', sent: 'no' });
  });

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost'])('%s is this machine, without a look-up', name => {
    expect(createOutbound([])(`https://${name}/`)).toEqual({ kind: 'not_allowed', reason: NOT_PUBLIC });
    expect(createOutbound(['127.0.0.1'])(`http://${name}/`)).toMatchObject({ kind: 'allowed' });
  });
});

describe('OUTBOUND_NETWORKS', () => {
  test.each([
    ['192.168.1.0/24', 'http://192.168.1.77/hook', 'allowed'],
    ['192.168.1.0/24', 'https://192.168.1.77/hook', 'allowed'],
    ['192.168.1.0/24', 'http://192.168.2.77/hook', 'not_allowed'],
    ['10.0.0.7', 'http://10.0.0.7:8123/', 'allowed'],
    ['10.0.0.7', 'http://10.0.0.8:8123/', 'not_allowed'],
    ['fd00::/8', 'http://[fd12::1]/', 'allowed'],
    ['::1', 'http://[::1]/', 'allowed'],
    ['127.0.0.0/8', 'http://8.8.8.8/', 'not_allowed'],
    ['127.0.0.0/8', 'https://169.254.169.254/', 'not_allowed'],
  ] as const)('%s: %s is %s', (network, url, kind) => {
    expect(createOutbound([network])(url).kind).toBe(kind);
  });

  test('a name within is connected to, by http too', async () => {
    const server = createServer((request, response) => response.end(request.headers.host));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const target = createOutbound(['127.0.0.1'], (_host, found) => found(null, ['10.0.0.1', '127.0.0.1']))(
      `http://home.test:${port}`,
    );
    if (target.kind !== 'allowed') throw new Error(target.reason);
    expect(await get(target.url.href, { headers: {}, timeoutMs: 5_000, lookup: target.lookup })).toMatchObject({
      status: 200,
      text: `home.test:${port}`,
    });
  });
});

describe('names', () => {
  test('whose name servers hang keep nobody else waiting', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const resolve = resolveOutside([`127.0.0.1:${silent.address().port}`]);
    let ended = 0;
    for (let i = 0; i < 16; i++) resolve(`slow${i}.test`, () => ended++);
    expect((await lookup('localhost')).address).toMatch(/^(127\.0\.0\.1|::1)$/);
    expect(ended).toBe(0);
  });

  test('that nobody knows are a fault', async () => {
    const refused = createSocket('udp4').bind(0, '127.0.0.1');
    await once(refused, 'listening');
    const { port } = refused.address();
    refused.close();
    const error = await new Promise(found => resolveOutside([`127.0.0.1:${port}`])('nowhere.test', found));
    expect(error).toBeInstanceOf(Error);
  });

  test('of this network that hang take two places of the system and no more; others are asked for meanwhile', async () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const hosts = join(await mkdtemp(join(tmpdir(), 'tocsin-hosts-')), 'hosts');
    onTestFinished(() => rm(dirname(hosts), { recursive: true }));
    await writeFile(hosts, '# mine\n192.168.1.7\tNas.Home.example nas # a comment\nnot-an-address nas.home.example\n');
    const resolve = resolveInside([], hosts, (host, found) => {
      asked.push(host);
      answers.push(() => found(null, ['10.0.0.1']));
    });
    let ended = 0;
    for (const name of ['one', 'two', 'three', 'four.local']) resolve(name, () => ended++);
    expect(asked).toEqual(['one', 'two']);
    const listed = await new Promise(found => resolve('nas.home.EXAMPLE', (_error, some) => found(some)));
    expect(listed).toEqual(['192.168.1.7']);
    for (let at = 0; at < 4; at++) answers[at]!();
    expect([asked, ended]).toEqual([['one', 'two', 'three', 'four.local'], 4]);
  });

  test('of this network are found as the system finds them', async () => {
    const addresses = await new Promise<string[]>(found => resolveInside()('localhost', (_error, some) => found(some)));
    expect(addresses).toContain('127.0.0.1');
  });
});

function inUrl(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

function looked(url: string, addresses: string[]) {
  const resolve: Resolve = (_host, found) => found(null, addresses);
  return lookUp(createOutbound([], resolve)(url));
}

/** The addresses that are connected to, or why there is none. */
async function lookUp(target: ReturnType<ReturnType<typeof createOutbound>>): Promise<string[] | string> {
  if (target.kind !== 'allowed') throw new Error(target.reason);
  return new Promise(resolve => {
    target.lookup('anywhere.test', { all: true }, (error, found) => {
      if (error !== null) resolve(error.message);
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
  });
}
