import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CONSOLE_SERVICES } from '../../../facade/console/door.ts';

const PAGE = join(import.meta.dirname, '../../../facade/console/page');

/** What no screen calls, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'ApiKeyService.GetApiKey': 'the list gives every key whole',
  'SessionService.CreateSignInLink': 'a session makes no links; a console token does, on the command line',
  'SessionService.StartOidcSignIn': 'the browser opens /sign-in/oidc, which calls it',
  'CarrierService.TryCarrier': 'whatever is saved there is tried first; the command line tries alone',
  'ConfigurationService.GetSchema': 'the settings link to the same file at /docs/config.schema.json',
  'DutyService.GetFeed': 'it is for those who have the secret of a feed: the facade asks it at /duty',
};

/** The text of a file without what stands in comments. */
const textOf = (file: string) => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '');

/** What the page begins with and all that it imports from there, at once or later: what nothing imports nobody gets to. */
function reached(file: string, known = new Map<string, string>()): Map<string, string> {
  if (known.has(file)) return known;
  const text = textOf(file);
  known.set(file, text);
  for (const [, to] of text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'(\.[^']+)'/g)) {
    const imported = join(dirname(file), to!);
    if (imported.startsWith(PAGE)) reached(imported, known);
  }
  return known;
}

const files = reached(join(PAGE, 'main.tsx'));
const sources = [...files.values()];

/** By service: what its client is called in the page. */
const clients = new Map(
  sources.flatMap(text =>
    [...text.matchAll(/const (\w+) = createClient\((\w+),/g)].map(
      ([, client, service]) => [service!, client!] as const,
    ),
  ),
);

function isCalled(service: string, method: string): boolean {
  const client = clients.get(service);
  if (client === undefined) return false;
  // Acknowledge and close go through one button, which names them as text.
  const verb = new RegExp(`\\b${client}\\[\\w+\\]`);
  const call = new RegExp(`\\b${client}\\s*\\.${method}\\(`);
  return sources.some(text => call.test(text) || (verb.test(text) && text.includes(`'${method}'`)));
}

test('no file of the page is left that no screen imports', () => {
  const all = readdirSync(PAGE, { recursive: true, encoding: 'utf8' }).filter(file => /\.tsx?$/.test(file));
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(file => !files.has(join(PAGE, file)))).toEqual([]);
});

test('every RPC for owners is called by some screen, or stands here with the reason why not', () => {
  const unreached = CONSOLE_SERVICES.flatMap(({ name: service, methods }) =>
    methods.filter(({ localName }) => !isCalled(service, localName)).map(({ name }) => `${service}.${name}`),
  );
  expect(unreached.sort()).toEqual(Object.keys(EXCEPTIONS).sort());
  expect(isCalled('AlarmService', 'listAlarms')).toBe(true);
  expect(isCalled('AlarmService', 'listAlarmsInSecret')).toBe(false);
});
