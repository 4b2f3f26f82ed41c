import type { ServiceImpl } from '@connectrpc/connect';
import { type Location, LocationService } from '../../gen/tocsin/console/v1/locations_pb.ts';
import type { ConsoleOn } from './console.ts';
import { createCrud, crudMethods } from './crud.ts';
import { orAbsent } from './messages.ts';
import type { Stored } from './resource.ts';
import { type LocationDoc, location as resource } from './resources/location.ts';

/** Where sources are (SPEC.md 2 "Location"). */
export function createLocationService(deps: ConsoleOn): ServiceImpl<typeof LocationService> {
  const locations = createCrud(deps, {
    resource,
    kept: ['test'],
    givenBy: ({ key, name, address, test }: Location) => ({ key: orAbsent(key), name, address, test }),
    viewer:
      async () =>
      ({ id, version, doc }: Stored<LocationDoc>) => ({ id, version, ...doc }),
  });
  return crudMethods(LocationService, locations);
}
