import type { ServiceImpl } from '@connectrpc/connect';
import { type Location, LocationService } from '../../gen/tocsin/console/v1/locations_pb.ts';
import { chosenAt } from '../rpc/proto-time.ts';
import type { ConsoleOn } from './console.ts';
import { createCrud, crudMethods } from './crud.ts';
import { orAbsent } from './messages.ts';
import type { Stored } from './resource.ts';
import { type LocationDoc, location as resource } from './resources/location.ts';
import { givenUntil } from './test-switch.ts';

/** Where sources are (SPEC.md 2 "Location"). */
export function createLocationService(deps: ConsoleOn): ServiceImpl<typeof LocationService> {
  const locations = createCrud(deps, {
    resource,
    kept: ['test', 'testUntil'],
    givenBy: ({ key, name, address, emergencyNumber, test, ...until }: Location, now: Date) => ({
      ...{ key: orAbsent(key), name, address, emergencyNumber, test, testUntil: givenUntil(until, now) },
    }),
    viewer:
      async () =>
      ({ id, version, doc: { testUntil, ...doc } }: Stored<LocationDoc>) => ({
        ...{ id, version, ...doc, ...chosenAt('testUntil', testUntil) },
      }),
  });
  return crudMethods(LocationService, locations);
}
