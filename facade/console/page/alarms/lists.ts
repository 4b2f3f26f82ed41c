import { useLoad } from '../load.ts';
import { locations, READ } from '../rpc.ts';
import { policies } from '../rpc-alarms.ts';

/** Lists that owners keep short are read whole, up to so many pages of 200. */
const PAGES_MOST = 10;

async function allOf<T>(page: (pageToken: string) => Promise<{ things: T[]; next: string }>): Promise<T[]> {
  const all: T[] = [];
  let token = '';
  for (let count = 0; count < PAGES_MOST; count++) {
    const { things, next } = await page(token);
    all.push(...things);
    if (next === '') break;
    token = next;
  }
  return all;
}

/** All locations of the account. */
export function usePlaces() {
  return useLoad('places', () =>
    allOf(async pageToken => {
      const page = await locations.listLocations({ pageSize: 200, pageToken }, READ);
      return { things: page.locations, next: page.nextPageToken };
    }),
  );
}

/** All policies of the account. */
export function usePolicies() {
  return useLoad('policies of sources', () =>
    allOf(async pageToken => {
      const page = await policies.listPolicies({ pageSize: 200, pageToken }, READ);
      return { things: page.policies, next: page.nextPageToken };
    }),
  );
}
