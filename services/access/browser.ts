import { timingSafeEqual } from 'node:crypto';
import { newId } from '../store/id.ts';
import { type Pepper, underEach, underPepper } from '../store/secret.ts';

/** The browser of somebody who signs in, by the cookie that the facade keeps for it. */
export interface Browser {
  id: string;
  /** Whether somebody, whoever it was, signed in with it before: nobody else can prove that. */
  standing: 'signed_in_before' | 'new';
}

/** The id, and for a browser that signed in before the proof. */
const SHAPE = /^([a-z0-9]{32})(?:\.([\w-]{43}))?$/;

/** Reads what a browser shows (metadata `x-tocsin-browser`); null: it is none that we know of, such as a program. */
export function browserIn(pepper: Pepper, shown: string): Browser | null {
  const [, id, proof] = SHAPE.exec(shown) ?? [];
  if (id === undefined) return null;
  return { id, standing: proof !== undefined && isProof(pepper, id, proof) ? 'signed_in_before' : 'new' };
}

/** Returns what a browser shows from now on, in which somebody has just signed in; null gets an id of its own. */
export function signedInBrowser(pepper: Pepper, browser: Browser | null): { id: string; shown: string } {
  const id = browser?.id ?? newId();
  return { id, shown: `${id}.${proofOf(pepper, id).toString('base64url')}` };
}

function isProof(pepper: Pepper, id: string, proof: string): boolean {
  const given = Buffer.from(proof, 'base64url');
  return underEach(pepper, textOf(id)).some(right => timingSafeEqual(given, right));
}

function proofOf(pepper: Pepper, id: string): Buffer {
  return underPepper(pepper, textOf(id));
}

function textOf(id: string): string {
  return `signed_in ${id}`;
}
