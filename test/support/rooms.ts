export interface Part {
  name: string;
  files: RegExp;
  /** The parts that it may import. */
  may: readonly string[];
  /** What it may import from outside the repository. */
  outside: 'nothing' | 'protobuf' | 'node and dependencies';
  /** What to do instead. */
  instead: string;
}

const SERVICES = [
  'ground',
  'pure ground',
  'domain',
  'words',
  'store',
  'embedded',
  'backup',
  'batch',
  'accept',
  'engine',
  'channel port',
  'channels',
  'bus port',
  'changes',
  'rpc',
  'room',
];

/** Imports go one way. A file belongs to the first part that it matches. */
export const PARTS: readonly Part[] = [
  {
    name: 'package.json',
    files: /^package\.json$/,
    may: [],
    outside: 'nothing',
    instead: 'It is read for its version.',
  },
  {
    name: 'gen',
    files: /^gen\//,
    may: ['gen'],
    outside: 'protobuf',
    instead: 'Change the protos and run npm run generate.',
  },
  {
    // Pure, so that the domain may stand on it as well.
    name: 'pure ground',
    files: /^services\/process\/(backoff|database-url|lru|text|tokens|vocabulary)\.ts$/,
    may: ['pure ground'],
    outside: 'nothing',
    instead: 'Hand in what it needs as an argument.',
  },
  {
    name: 'domain',
    files: /^services\/domain\//,
    may: ['domain', 'pure ground'],
    outside: 'nothing',
    instead: 'Hand in what it needs as an argument.',
  },
  {
    name: 'words',
    files: /^services\/words\//,
    may: ['words', 'pure ground', 'domain'],
    outside: 'nothing',
    instead: 'Hand in what it says as an argument.',
  },
  {
    name: 'ground',
    files: /^services\/process\//,
    may: ['ground', 'pure ground'],
    outside: 'node and dependencies',
    instead: 'What both sides stand on knows neither.',
  },
  {
    name: 'store',
    files: /^services\/store\//,
    may: ['store', 'pure ground', 'domain'],
    outside: 'node and dependencies',
    instead: 'Let the caller bring both together.',
  },
  {
    name: 'batch',
    files: /^services\/engine\/group-commit\.ts$/,
    may: [],
    outside: 'nothing',
    instead: 'What is done in groups is for its caller to know.',
  },
  {
    name: 'accept',
    files: /^services\/engine\/accept\//,
    may: ['accept', 'batch', 'ground', 'pure ground', 'domain', 'store', 'bus port'],
    outside: 'node and dependencies',
    instead: 'Accepting and applying meet in the database only.',
  },
  {
    name: 'engine',
    files: /^services\/engine\//,
    may: ['engine', 'batch', 'ground', 'pure ground', 'domain', 'store', 'channel port', 'bus port'],
    outside: 'node and dependencies',
    instead: 'Let services/start/app.ts hand it in behind a port.',
  },
  {
    name: 'channel port',
    files: /^services\/channels\/channel\.ts$/,
    may: ['domain'],
    outside: 'nothing',
    instead: 'A port names what others need and nothing of how it is done.',
  },
  {
    name: 'channels',
    files: /^services\/channels\//,
    may: ['channels', 'channel port', 'ground', 'pure ground', 'words', 'domain'],
    outside: 'node and dependencies',
    instead: 'Put what it needs into the Alert that it is given.',
  },
  {
    name: 'bus port',
    files: /^services\/changes\/bus\.ts$/,
    may: [],
    outside: 'nothing',
    instead: 'A port names what others need and nothing of how it is done.',
  },
  {
    name: 'changes',
    files: /^services\/changes\//,
    may: ['changes', 'bus port', 'ground', 'pure ground'],
    outside: 'node and dependencies',
    instead: 'The bus carries messages and knows nothing of what they mean.',
  },
  {
    name: 'embedded',
    files: /^services\/embedded\//,
    may: ['embedded', 'ground', 'pure ground'],
    outside: 'node and dependencies',
    instead: 'The Postgres that comes along knows nothing of what is kept in it.',
  },
  {
    name: 'backup',
    files: /^services\/backup\//,
    may: ['backup', 'ground', 'pure ground', 'domain', 'store', 'engine', 'channel port', 'bus port'],
    outside: 'node and dependencies',
    instead: 'Where the database is, and its secrets, are for services/start to hand in.',
  },
  {
    name: 'rpc',
    files: /^services\/rpc\//,
    may: [
      'rpc',
      'gen',
      'ground',
      'pure ground',
      'domain',
      'words',
      'store',
      'batch',
      'accept',
      'bus port',
      'package.json',
    ],
    outside: 'node and dependencies',
    instead: 'What all services share knows none of them: let services/start hand it in.',
  },
  {
    name: 'room',
    files: /^services\/(alarm|inventory|incident|responder|console)\//,
    may: [
      'room',
      'rpc',
      'gen',
      'ground',
      'pure ground',
      'domain',
      'words',
      'accept',
      'store',
      'bus port',
      'channel port',
      'package.json',
    ],
    outside: 'node and dependencies',
    instead: 'Let services/start hand it in.',
  },
  {
    name: 'start',
    files: /^services\/start\//,
    may: [...SERVICES, 'start', 'gen', 'package.json'],
    outside: 'node and dependencies',
    instead: 'Only services/standalone.ts knows both sides.',
  },
  {
    name: 'standalone',
    files: /^services\/standalone\.ts$/,
    may: ['start', 'ground', 'pure ground', 'facade', 'facade process', 'gen', 'package.json'],
    outside: 'node and dependencies',
    instead: 'It may import both sides, and nothing that is only for tests.',
  },
  {
    name: 'process',
    files: /^services\/(main|migrate|backup)\.ts$/,
    may: ['start', 'ground', 'pure ground', 'store', 'package.json'],
    outside: 'node and dependencies',
    instead: 'Where a process begins it hands its environment to services/start.',
  },
  {
    name: 'sdk',
    files: /^facade\/sdk\//,
    may: ['sdk'],
    outside: 'nothing',
    instead:
      'The client runs where there is neither Node nor this repository: platform.ts names what it takes from there.',
  },
  {
    name: 'recipes',
    files: /^facade\/recipes\//,
    may: ['recipes'],
    outside: 'nothing',
    instead: 'Texts made of what is given: they run in the browser and on the command line.',
  },
  {
    name: 'console page',
    files: /^facade\/console\/(page|design|words)\//,
    may: ['console page', 'recipes', 'gen'],
    outside: 'node and dependencies',
    instead: 'It runs in a browser, where there is neither Node nor this repository: ask the services.',
  },
  {
    name: 'facade process',
    files: /^facade\/main\.ts$/,
    may: ['facade', 'gen', 'ground', 'pure ground', 'package.json', 'bus port', 'changes'],
    outside: 'node and dependencies',
    instead: 'The facade reaches services through the RPCs of gen only, and hears of changes over the bus.',
  },
  {
    name: 'facade',
    files: /^facade\//,
    // Of neither side: the bus, over which both hear of changes; what bounds callers; the languages of people.
    may: ['facade', 'recipes', 'gen', 'ground', 'pure ground', 'words', 'package.json', 'bus port', 'changes'],
    outside: 'node and dependencies',
    instead: 'The facade reaches services through the RPCs of gen only, and hears of changes over the bus.',
  },
];
