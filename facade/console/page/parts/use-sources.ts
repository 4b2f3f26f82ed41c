import { useQuery } from '../live/use-query.ts';
import { alarms, locations, panicButtons, READ } from '../rpc/rpc.ts';

/** A page of each is shown here; who has more looks at them by location. */
const SHOWN = { pageSize: 200 };

/** Returns all sources and their locations. */
export function useSources() {
  return useQuery('sources', async () => {
    const [places, ofAlarms, ofButtons] = await Promise.all([
      locations.listLocations(SHOWN, READ),
      alarms.listAlarms(SHOWN, READ),
      panicButtons.listPanicButtons(SHOWN, READ),
    ]);
    return { places: places.locations, alarms: ofAlarms.alarms, buttons: ofButtons.panicButtons };
  });
}
