import type { Logger } from 'pino';
import { type Bus, subjects } from '../changes/bus.ts';
import { type Loop, startLoop } from '../engine/loop.ts';
import type { CarriersHere } from './carriers.ts';
import type { PublicUrlHere } from './public-url.ts';
import type { BackupsHere } from './stored-backups.ts';

/** How soon a process notices what was set in another one, at the latest, in milliseconds. */
const POLL_MS = 3_000;

/** Follows what is set in the console: at once where the bus tells of it, and a few seconds later where it does not. */
export function followSettings(deps: {
  carriers: Pick<CarriersHere, 'look'>;
  publicUrl: PublicUrlHere;
  backups: Pick<BackupsHere, 'look'>;
  bus: Bus;
  log: Logger;
}): Pick<Loop, 'drain' | 'close'> {
  const look = async () => {
    await Promise.all([deps.carriers.look(), deps.publicUrl.look(), deps.backups.look()]);
    return { inMs: POLL_MS };
  };
  const loop = startLoop('settings', look, deps.log, POLL_MS);
  const end = deps.bus.subscribe(subjects.settings, loop.nudge);
  return {
    drain: loop.drain,
    async close() {
      end();
      await loop.close();
    },
  };
}
