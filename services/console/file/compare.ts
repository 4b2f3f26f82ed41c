import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../store/id.ts';
import type { AccountDoc } from '../account-view.ts';
import type { Document, NounKind, Stored } from '../noun.ts';
import { nounOf } from '../nouns.ts';
import { overPlan } from '../plan-coverage.ts';
import { differences } from './differences.ts';
import { noPlan, type Plan, type PlannedChange, type Within } from './plan.ts';
import { planKeys } from './plan-keys.ts';
import { inOrder, MOST_PROBLEMS, ofWholeFile } from './problem.ts';
import type { FileRead } from './read.ts';
import { type Ids, type Prune, takeIds, unknownReferences } from './references.ts';
import { SECTIONS } from './schema.ts';
import { inFileWords, type KeyOf, keysOf, readStored, type StoredAccount } from './stored.ts';
import type { FileThing } from './things.ts';
import { takingTurns } from './turns.ts';

/** Compares a file with what is stored, by key. Only reads; belongs into the transaction that writes. */
export async function compare(
  within: Within,
  file: FileRead,
  prune: Prune,
  progress: (done: number) => void,
): Promise<Plan> {
  const stored = await readStored(within.on, within.accountId, within.seal);
  const byKey = new Map<NounKind, Map<string, Stored>>();
  for (const [kind, things] of stored.things) byKey.set(kind, new Map(things.map(one => [one.doc.key, one])));
  const ids = idsOf(file.things, byKey, prune);
  // A file with more mistakes than are told was not read to its end: what it names may stand there.
  const unknown = file.problems.length < MOST_PROBLEMS ? await unknownReferences(file.things, ids, prune) : [];
  const problems = inOrder([...file.problems, ...unknown]);
  if (problems.length > 0) return noPlan(problems);

  const plan = noPlan([]);
  planAccount(within.accountId, file, stored, plan);
  await planThings(file.things, { ids, byKey, keyOf: keysOf(stored, newKeys(ids)) }, plan, progress);
  const keys = await planKeys(within, file.things, { ids, byKey, revoked: stored.revoked }, plan);
  const refused = [...plan.problems, ...keys.problems];
  if (refused.length > 0) return noPlan(inOrder(refused));
  if (prune === 'prune') planDeletions(file.things, stored, plan);
  const over = await overPlan(within.on, within.accountId, plan.edits);
  return over === null ? plan : noPlan([ofWholeFile(over.rawMessage)]);
}

/** Ids are minted once: a thing that is stored keeps its own. What goes cannot be named any more. */
function idsOf(things: readonly FileThing[], byKey: ReadonlyMap<NounKind, Map<string, Stored>>, prune: Prune): Ids {
  const ids = new Map<NounKind, Map<string, string>>();
  for (const kind of Object.values(SECTIONS)) {
    const known = prune === 'prune' ? [] : [...byKey.get(kind)!];
    ids.set(kind, new Map(known.map(([key, { id }]) => [key, id])));
  }
  for (const { kind, key } of things) {
    const ofKind = ids.get(kind)!;
    if (key !== '' && !ofKind.has(key)) ofKind.set(key, byKey.get(kind)!.get(key)?.id ?? newId());
  }
  return ids;
}

function newKeys(ids: Ids): Map<string, string> {
  return new Map([...ids.values()].flatMap(ofKind => [...ofKind].map(([key, id]) => [id, key] as const)));
}

/** What the file leaves out stays: nobody shall lose the owner's email to a file that was written without it. */
function planAccount(id: string, { account }: FileRead, stored: StoredAccount, plan: Plan): void {
  if (account === null) return;
  const before = stored.account;
  const after: AccountDoc = { ...before, ...account.settings };
  const fields = differences(before, after, account.hidden);
  if (fields.length === 0) return;
  plan.account = { before, after };
  plan.changes.push({ action: 'update', kind: 'account', key: '', id, name: after.name, fields });
}

async function planThings(
  things: readonly FileThing[],
  { ids, byKey, keyOf }: { ids: Ids; byKey: ReadonlyMap<NounKind, Map<string, Stored>>; keyOf: KeyOf },
  plan: Plan,
  progress: (done: number) => void,
): Promise<void> {
  const turn = takingTurns();
  for (const [at, thing] of things.entries()) {
    takeIds(thing, ids);
    const { kind, key } = thing;
    const before = byKey.get(kind)!.get(key) ?? null;
    const after = thing.doc!;
    if (!isDeepStrictEqual(before?.doc, after)) {
      const id = ids.get(kind)!.get(key)!;
      const action = before === null ? 'create' : 'update';
      plan.problems.push(...thing.excess);
      plan.edits.push({ noun: nounOf(kind), action, id, before, after });
      plan.changes.push(changeOf(thing, id, before?.doc ?? null, keyOf));
    }
    if (at % 500 === 499) progress(at + 1);
    await turn();
  }
}

function changeOf(thing: FileThing, id: string, before: Document | null, keyOf: KeyOf): PlannedChange {
  const { kind, key, doc, hidden } = thing;
  const name = nounOf(kind).nameOf(doc!);
  if (before === null) return { action: 'create', kind, key, id, name, fields: [] };
  const fields = differences(inFileWords(before, keyOf), inFileWords(doc, keyOf), hidden);
  return { action: 'update', kind, key, id, name, fields };
}

/** What the file does not name: users before what they use, as people would delete it. Keys are revoked (plan-keys.ts). */
function planDeletions(things: readonly FileThing[], stored: StoredAccount, plan: Plan): void {
  const named = new Set(things.map(({ kind, key }) => `${kind}/${key}`));
  const gone = new Set<string>();
  for (const [kind, ones] of [...stored.things].reverse()) {
    if (kind === 'api_key') continue;
    for (const before of ones.filter(({ doc }) => !named.has(`${kind}/${doc.key}`))) {
      gone.add(before.id);
      plan.edits.push({ noun: nounOf(kind), action: 'delete', id: before.id, before, after: null });
      plan.changes.push(deletionOf(kind, before));
    }
  }
  for (const key of stored.things.get('api_key') as unknown as Plan['revoked']) {
    // What has expired opens nothing; it goes only where it would keep an alarm from going.
    const inTheWay = key.facts.status !== 'expired' || gone.has(key.doc.alarmId);
    if (named.has(`api_key/${key.doc.key}`) || !inTheWay) continue;
    plan.revoked.push(key);
    plan.changes.push(deletionOf('api_key', key as unknown as Stored));
  }
}

function deletionOf(kind: NounKind, { id, doc }: Stored): PlannedChange {
  return { action: 'delete', kind, key: doc.key, id, name: nounOf(kind).nameOf(doc), fields: [] };
}
