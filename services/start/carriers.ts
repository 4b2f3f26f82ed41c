import type { Pool } from 'pg';
import type { CarriersSetUp, SettingValues, StoredCarrier } from '../channels/described.ts';
import type { Devices } from '../channels/devices.ts';
import type { SetUpOn } from '../channels/opening.ts';
import { type OpenCarriers, openCarriers } from '../channels/set-up.ts';
import { createPushTools } from '../channels/web-push/tools.ts';
import { createDevices } from '../readiness/devices.ts';
import type { Seal } from '../store/seal.ts';
import { readSettings } from '../store/statements/settings.ts';

/** CONSOLE_CARRIERS. `refused`: carriers are set up in the environment alone. */
export type ConsoleCarriers = 'taken' | 'refused';

/** The carriers of a process, and how it learns that they were set up anew. */
export interface CarriersHere extends OpenCarriers, Pick<CarriersSetUp, 'taken'> {
  /** The browsers that ring for people. */
  devices: Devices;
  /** Reads what is stored, and opens the channels anew where that changed. */
  look(): Promise<void>;
}

/** Opens the carriers by the environment and by what is stored. Throws ConfigError for what stands in the environment alone. */
export async function openStoredCarriers(
  on: Omit<SetUpOn, 'taken'> & { pool: Pool; seal: Seal; stored: ConsoleCarriers },
): Promise<CarriersHere> {
  const { outboundNetworks } = on.base;
  const devices = createDevices({ ...on, tools: createPushTools(outboundNetworks) });
  const read = () => (on.stored === 'refused' ? [] : readStored(on.pool, on.seal));
  const first = await read();
  const carriers = openCarriers({ ...on, made: { ...on.made, devices }, taken: on.stored }, first);
  let applied = JSON.stringify(first);
  async function look(): Promise<void> {
    const now = await read();
    const text = JSON.stringify(now);
    if (text === applied) return;
    if (carriers.apply(now) === 'as_before') return;
    applied = text;
    on.log.info({ carriers: now.map(({ name }) => name) }, 'carriers were opened as they are set up in the console');
  }
  carriers.channels.lookBeforeKept(look);
  return { ...carriers, devices, taken: on.stored, look };
}

async function readStored(pool: Pool, seal: Seal): Promise<StoredCarrier[]> {
  const stored = await readSettings(pool);
  return stored.map(({ part, sealed }) => ({ name: part, values: opened(seal, sealed) }));
}

function opened(seal: Seal, sealed: string): SettingValues | null {
  try {
    return JSON.parse(seal.open(sealed)) as SettingValues;
  } catch {
    return null;
  }
}
