import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { ChangingSeal } from '../../store/seal.ts';
import { type Pepper, pepperId, pepperProof } from '../../store/secret.ts';
import { inTransaction } from '../../store/statement.ts';
import { removeSuperseded } from '../../store/statements/adopt.ts';
import {
  beginMoving,
  movePersons,
  noteAllMoved,
  noteMoved,
  type Rotated,
  readProof,
  resealRows,
  SEALED_PLACES,
} from '../../store/statements/rotation.ts';
import { personDigests } from '../../store/statements/sign-in.ts';
import { type LookAgain, startLoop } from '../loop.ts';

/** The longest rest after a transaction, in milliseconds: it rests as long as the transaction took. */
const MAX_REST_MS = 500;

/** How long to wait while another process moves rows, and between two passes once nothing was left, in milliseconds. */
const BUSY_MS = 2_000;
const PASS_MS = 600_000;

export interface Rotation {
  /** Resolves when a pass over everything that began after this call found nothing left. */
  move(): Promise<void>;
  close(): Promise<void>;
}

/** A table to go through. `after`: the last row that was looked at; null: none was. */
interface Step {
  what: Rotated;
  move(client: PoolClient, after: readonly string[] | null): Promise<{ moved: number; last: string[] | null }>;
}

/**
 * Moves what is stored under the other DATA_KEY and KEY_PEPPER (DECISIONS.md "Changing DATA_KEY and KEY_PEPPER"): a few
 * rows at a time, in passes over all of them until one finds none left; one process at a time. Killed at any point it
 * goes on from the beginning, and what was done stays done. Only towards the secret that the deployment's proof is of: a
 * process that still writes with the former one moves nothing back. Does nothing where there is no other secret, but that
 * it removes what one left behind.
 */
export function startRotation(deps: { pool: Pool; seal: ChangingSeal; pepper: Pepper; log: Logger }): Rotation {
  const { pool, seal, pepper, log } = deps;
  const steps = stepsOf(deps);
  const ids: Record<Rotated, string> = { DATA_KEY: seal.keyId, KEY_PEPPER: pepperId(pepper) };
  let at = 0;
  let after: string[] | null = null;
  let moved: Record<Rotated, number> = { DATA_KEY: 0, KEY_PEPPER: 0 };

  async function look(): Promise<LookAgain> {
    const step = steps[at];
    if (step === undefined) return endPass();
    const { what } = step;
    const done = await inTransaction(pool, async client => {
      if ((await beginMoving(client)) === 'busy') return 'busy';
      if (!leadsHere(what, await readProof(client, what))) return 'other_way';
      const result = await step.move(client, after);
      await noteMoved(client, what, ids[what], result.moved);
      return result;
    });
    if (done === 'busy') return { inMs: BUSY_MS };
    if (done !== 'other_way') moved[what] += done.moved;
    after = done === 'other_way' ? null : done.last;
    if (after === null) at++;
    return { restMs: MAX_REST_MS };
  }

  function leadsHere(what: Rotated, proof: string): boolean {
    return what === 'DATA_KEY' ? seal.sealedWith(proof) === 'this' : proof === pepperProof(pepper);
  }

  async function endPass(): Promise<LookAgain> {
    const found = moved;
    at = 0;
    after = null;
    moved = { DATA_KEY: 0, KEY_PEPPER: 0 };
    for (const what of new Set(steps.map(step => step.what))) {
      if (found[what] > 0) log.info({ what, rows: found[what] }, 'what was stored under the former secret was moved');
      else if (leadsHere(what, await readProof(pool, what))) await noteAllMoved(pool, what, ids[what]);
    }
    if (found.DATA_KEY + found.KEY_PEPPER > 0) return 'now';
    if (typeof pepper === 'string') await removeSuperseded(pool, ids.KEY_PEPPER);
    return { inMs: PASS_MS };
  }

  const loop = startLoop('rotation', look, log, PASS_MS);
  return { move: loop.drain, close: loop.close };
}

function stepsOf({ seal, pepper }: { seal: ChangingSeal; pepper: Pepper }): Step[] {
  const sealed = SEALED_PLACES.map(
    (place): Step => ({ what: 'DATA_KEY', move: (client, after) => resealRows(client, place, after, seal.reseal) }),
  );
  const digestOf = (email: string) => {
    try {
      return personDigests(pepper, seal.open(email))[0]!;
    } catch {
      // One damaged address concerns one person only.
      return null;
    }
  };
  const persons: Step = { what: 'KEY_PEPPER', move: (client, after) => movePersons(client, after, digestOf) };
  return [...(seal.keys === 'one' ? [] : sealed), ...(typeof pepper === 'string' ? [] : [persons])];
}
