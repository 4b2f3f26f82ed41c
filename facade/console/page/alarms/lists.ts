import { useQuery } from '../live/use-query.ts';
import { readAll } from '../rpc/pages.ts';
import { locations, READ } from '../rpc/rpc.ts';

/** All locations of the account. */
export function usePlaces() {
  return useQuery('places', () =>
    readAll(async page => {
      const { locations: places, nextPageToken } = await locations.listLocations(page, READ);
      return [places, nextPageToken];
    }),
  );
}
