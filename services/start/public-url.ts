import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { webUrl } from '../process/settings.ts';
import type { Seal } from '../store/seal.ts';
import { PUBLIC_URL_PART, readLastSetting } from '../store/statements/settings.ts';
import type { ConsoleCarriers } from './carriers.ts';

/** Where links lead by the settings of a deployment (DECISIONS.md "The public address set in the console"). */
export interface PublicUrlHere {
  /** Returns PUBLIC_URL, or what the operator set in the console, without trailing slash; null: neither. */
  now(): string | null;
  /** Where it is set; `nowhere`: links lead to where the facade listens, if that is known. */
  setIn(): 'environment' | 'console' | 'nowhere';
  /** Counts what was stored, as far as this process goes by it; 0: nothing ever was. */
  version(): number;
  /** Reads what is stored. */
  look(): Promise<void>;
}

/** Opens it. `url`: PUBLIC_URL of the environment, which wins; `stored`: whether what is stored counts. */
export async function openPublicUrl(on: {
  pool: Pool;
  seal: Seal;
  url: string | null;
  stored: ConsoleCarriers;
  log: Logger;
}): Promise<PublicUrlHere> {
  const { pool, seal, url, stored, log } = on;
  let typed: string | null = null;
  let sealedBefore: string | null = null;
  let version = 0;

  async function look(): Promise<void> {
    if (url !== null || stored === 'refused') return;
    const last = await readLastSetting(pool, PUBLIC_URL_PART);
    // Two looks at once may end in either order.
    if (last === null || last.version < version) return;
    version = last.version;
    const { sealed } = last;
    if (sealed === sealedBefore) return;
    sealedBefore = sealed;
    typed = sealed === null ? null : opened(seal, sealed);
    if (sealed !== null && typed === null) log.error('the public address that is stored cannot be used: set it anew');
  }

  await look();
  return {
    now: () => url ?? typed,
    setIn() {
      if (url !== null) return 'environment';
      return typed === null ? 'nowhere' : 'console';
    },
    version: () => version,
    look,
  };
}

/** Null: it cannot be opened with this DATA_KEY, or is no address by now. */
function opened(seal: Seal, sealed: string): string | null {
  try {
    const { PUBLIC_URL } = JSON.parse(seal.open(sealed)) as { PUBLIC_URL?: unknown };
    const read = webUrl.schema.safeParse(String(PUBLIC_URL));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
