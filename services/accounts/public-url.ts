import { Code, ConnectError } from '@connectrpc/connect';
import type { SetPublicUrlRequest } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import { type Bus, subjects } from '../changes/bus.ts';
import type { CarriersSetUp } from '../channels/described.ts';
import { invalidField } from '../configuration/errors.ts';
import type { Actor } from '../domain/actor.ts';
import { webUrl } from '../process/settings.ts';
import { say } from '../rpc/reader.ts';
import type { Seal } from '../store/seal.ts';
import { PUBLIC_URL_PART, readLastSetting, storeSettings } from '../store/statements/settings.ts';
import type { Store } from '../store/store.ts';
import { changedByOther } from './carrier-refusals.ts';

/** What setting where links lead needs. */
export interface PublicUrlOn {
  store: Pick<Store, 'pool'>;
  seal: Seal;
  bus: Bus;
  settings: { now(): string | null; setIn(): 'environment' | 'console' | 'nowhere'; version(): number };
  /** Whether what is stored counts (CONSOLE_CARRIERS). */
  taken: CarriersSetUp['taken'];
  /** Resolves when this process goes by what is stored now. */
  follow(): Promise<void>;
  log: { info(about: object, message: string): void };
}

/** How long an address may take to answer, in milliseconds. */
const WAY_MS = 5_000;

/** How long it may be, in characters. */
const LENGTH_MOST = 500;

/**
 * Stores where links lead, or takes that away, for the operator (DECISIONS.md "The public address set in the console"). It is asked first
 * whether something answers there as the facade does; what does not is stored only if that is wanted.
 */
export async function setPublicUrl(
  on: PublicUrlOn,
  { publicUrl, version, storeAnyway }: SetPublicUrlRequest,
  actor: Actor,
): Promise<{ outcome: 'stored' | 'not_reached'; problem: string }> {
  const { pool } = on.store;
  if (on.taken === 'refused') throw notHere(say().refusals.publicUrlRefused);
  if (on.settings.setIn() === 'environment') throw notHere(say().refusals.publicUrlInEnvironment);
  const url = publicUrl.trim() === '' ? null : readUrl(publicUrl);
  const last = await readLastSetting(pool, PUBLIC_URL_PART);
  if (last === null && version !== 0) throw invalidField('version', '0', version);
  if (last !== null && last.version !== version) throw changedByOther(last);
  const problem = url === null || storeAnyway ? '' : await wayTo(url);
  if (problem !== '') return { outcome: 'not_reached', problem };
  const outcome = await storeSettings(pool, {
    part: PUBLIC_URL_PART,
    after: version,
    names: url === null ? [] : ['PUBLIC_URL'],
    sealed: url === null ? null : on.seal.seal(JSON.stringify({ PUBLIC_URL: url })),
    by: actor,
  });
  if (outcome === 'changed_meanwhile') throw changedByOther((await readLastSetting(pool, PUBLIC_URL_PART))!);
  on.log.info({ by: actor.name }, 'where links lead was set in the console');
  on.bus.publish(subjects.settings);
  await on.follow();
  return { outcome: 'stored', problem: '' };
}

/** Returns where links lead, where that is set, and what was stored of it, for the operator. */
export function publicUrlSetting({ settings }: Pick<PublicUrlOn, 'settings'>) {
  const setIn = settings.setIn();
  return {
    publicUrlSetIn: setIn === 'nowhere' ? '' : setIn,
    publicUrlVersion: settings.version(),
  };
}

function notHere(message: string): ConnectError {
  return new ConnectError(message, Code.FailedPrecondition);
}

function readUrl(text: string): string {
  const read = webUrl.schema.safeParse(text);
  if (!read.success || text.length > LENGTH_MOST) throw invalidField('public_url', say().accepts.publicUrl, text);
  return read.data;
}

/** Returns what is wrong with the way to an address from here, in words; empty: something answers there as the facade does. */
async function wayTo(url: string): Promise<string> {
  try {
    const answer = await fetch(`${url}/livez`, { redirect: 'manual', signal: AbortSignal.timeout(WAY_MS) });
    await answer.body?.cancel();
    return answer.status === 200 ? '' : say().refusals.wayAnswers(`${url}/livez`, answer.status);
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string; message?: string }; name?: unknown };
    if (name === 'TimeoutError') return say().refusals.wayIsSilent(url, WAY_MS / 1_000);
    return say().refusals.wayFails(url, cause?.code ?? cause?.message ?? String(name));
  }
}
