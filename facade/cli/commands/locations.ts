import type { Command } from 'commander';
import { type Location, LocationSchema } from '../../../gen/tocsin/console/v1/locations_pb.ts';
import { cleanLines } from '../../../services/process/text.ts';
import { eitherOr, inTest, keyFlag, nameFlag, switchedOn, testForFlag, testForS } from '../flags.ts';
import { addResource } from '../resource.ts';
import type { Act } from '../session.ts';
import { facts } from '../table.ts';

interface Options {
  name?: string;
  key?: string;
  address?: string;
  emergencyNumber?: string;
  test?: true;
  testFor?: string;
  live?: true;
}

/** `tocsin locations`: where alarms and panic buttons are (SPEC.md 2). */
export function addLocations(program: Command, act: Act): void {
  addResource(program, act, {
    one: 'location',
    command: 'locations',
    member: 'location',
    schema: LocationSchema,
    example: 'home',
    createExample: '--name Home --address "1 Elm Street, Springfield"',
    updateExample: 'home --live',
    first: 'locations create --name Home',
    columns: [
      ['key', ({ key }) => key],
      ['name', ({ name }) => name],
      ['runs', ({ test }) => (test ? 'all in test' : '')],
      ['address', ({ address }) => cleanLines(address)],
      ['id', ({ id }) => id],
    ],
    lines,
    flags,
    created: ({ name, key, address, emergencyNumber, test, testFor, live }: Options) => ({
      fields: {
        ...{ name: name!, key: key ?? '', address: address ?? '', emergencyNumber: emergencyNumber ?? '' },
        test: switchedOn(test, live) ?? false,
        testForS: testForS(testFor) ?? 0,
      },
      notes: [],
    }),
    changed: ({ name, key, address, emergencyNumber, test, testFor, live }) => ({
      ...{ name, key, address, emergencyNumber, test: switchedOn(test, live), testForS: testForS(testFor) },
    }),
    get: async (rpc, locationId) => (await rpc.locations.getLocation({ locationId })).location!,
    async list(rpc, page) {
      const { locations, nextPageToken } = await rpc.locations.listLocations(page);
      return { items: locations, nextPageToken };
    },
    async create(rpc, fields) {
      const { location, findings } = await rpc.locations.createLocation({ location: fields });
      return { thing: location!, findings };
    },
    async update(rpc, wanted, paths) {
      const answer = await rpc.locations.updateLocation({ location: wanted, updateMask: { paths } });
      return { thing: answer.location!, findings: answer.findings };
    },
    remove: (rpc, locationId, version) => rpc.locations.deleteLocation({ locationId, version }),
  });
}

function flags(command: Command, use: 'create' | 'update'): Command {
  nameFlag(command, use)
    .addOption(keyFlag())
    .option('--address <text>', 'postal address that people alerted are shown; "" for none')
    .option('--emergency-number <number>', 'what people alerted can call for help, such as 112; "" for none');
  command.addOption(testForFlag());
  return eitherOr(
    command,
    ['--test', 'everything here runs as test, whatever its own switch says'],
    ['--live', 'each source here goes by its own switch (how a new location begins)'],
  );
}

function lines({ id, key, name, address, emergencyNumber, test, testUntil, version }: Location): string[] {
  return facts([
    ['Name', name],
    ['Key', key],
    ['Id', id],
    ['Emergency number', emergencyNumber],
    ['Address', cleanLines(address)],
    ['Runs', test ? `everything here ${inTest(testUntil)}` : 'each source by its own switch'],
    ['Version', String(version)],
  ]);
}
