import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { SUGGESTED_MOST, suggestion } from '../../process/suggest.ts';
import { mismatchOf } from '../../rpc/fields.ts';
import { say } from '../../rpc/reader.ts';
import { newId } from '../../store/id.ts';
import { readNow } from '../../store/statements/responder.ts';
import type { AccountDoc } from '../account-view.ts';
import { editOf } from '../edit.ts';
import type { FieldFault } from '../errors.ts';
import { overPlan } from '../plan-coverage.ts';
import type { Document, ResourceKind, SettledOn, Stored } from '../resource.ts';
import { type ContactDoc, withConnected } from '../resources/contact.ts';
import { resourceOf } from '../resources.ts';
import { type Diff, noDiff, type PlannedChange, type Prune, type Within } from './diff.ts';
import { differences } from './differences.ts';
import { diffKeys } from './keys.ts';
import { inOrder, MOST_PROBLEMS, ofWholeFile, type Problem, problemAt } from './problem.ts';
import type { FileRead } from './read.ts';
import { type Ids, inFileWords, type KeyOf, keysOf, readStored, type StoredAccount } from './stored.ts';
import type { FileThing } from './things.ts';

/** How many things are compared before other work of this process gets a turn. */
const AT_ONCE = 200;

/** Compares a file with what is stored, by key. Only reads; call it in the transaction that writes. */
export async function compare(
  within: Within,
  file: FileRead,
  prune: Prune,
  progress: (done: number) => void,
): Promise<Diff> {
  const stored = await readStored(within);
  const ids = idsOf(file.things, stored, prune);
  // A file with more problems than are reported was not read to its end; what it refers to may be there.
  const unknown = file.problems.length < MOST_PROBLEMS ? await unknownReferences(file.things, ids, prune) : [];
  const problems = inOrder([...file.problems, ...unknown]);
  if (problems.length > 0) return noDiff(problems);

  const now = await readNow(within.client);
  const diff = noDiff([]);
  diffAccount(within.accountId, file, stored, diff);
  await diffThings(now, file.things, stored, ids, diff, progress);
  await diffKeys(within, file.things, stored, ids, diff);
  if (diff.problems.length > 0) return noDiff(inOrder(diff.problems));
  if (prune === 'prune') diffDeletions(stored, ids, diff);
  const over = await overPlan(within.client, within.accountId, diff.edits);
  return over === null ? diff : noDiff([ofWholeFile(over.rawMessage)]);
}

/**
 * Returns the ids of what the account would have: a stored thing keeps its own, others are created once. What is to be
 * deleted has none, as it can no longer be referred to.
 */
function idsOf(things: readonly FileThing[], stored: StoredAccount, prune: Prune): Ids {
  const ids = new Map<ResourceKind, Map<string, string>>();
  for (const [kind, known] of stored.things) {
    const kept = prune === 'prune' ? [] : [...known];
    ids.set(kind, new Map(kept.map(([key, { id }]) => [key, id])));
  }
  for (const { kind, key } of things) {
    const ofKind = ids.get(kind)!;
    if (key !== '' && !ofKind.has(key)) ofKind.set(key, stored.things.get(kind)!.get(key)?.id ?? newId());
  }
  return ids;
}

/** Finds references to things that do not exist, with what was probably meant. */
async function unknownReferences(things: readonly FileThing[], ids: Ids, prune: Prune): Promise<Problem[]> {
  const problems: Problem[] = [];
  const meant = new Map<string, string>();
  for (const one of things.flatMap(({ named }) => named)) {
    const { kind, key } = one;
    const known = ids.get(kind)!;
    if (known.has(key)) continue;
    const problem = mismatchOf(say().file.keyOf(kind, prune), key);
    const named = `${kind}/${key}`;
    if (!meant.has(named) && meant.size < SUGGESTED_MOST) {
      meant.set(named, suggestion(key, known.keys()));
      // Among thousands of keys, finding the nearest one takes a while.
      await setImmediate();
    }
    problems.push(problemAt(one, one.field, problem, meant.get(named)));
    if (problems.length > MOST_PROBLEMS) break;
  }
  return problems;
}

/** Settings that the file leaves out stay: a file written without the owner's email must not delete it. */
function diffAccount(id: string, { account }: FileRead, stored: StoredAccount, diff: Diff): void {
  if (account === null) return;
  const before = stored.account;
  const after: AccountDoc = { ...before, ...account.settings };
  const fields = differences(before, after, account.hidden);
  if (fields.length === 0) return;
  diff.account = { before, after };
  diff.changes.push({ action: 'update', kind: 'account', key: '', id, name: after.name, fields });
}

async function diffThings(
  now: Date,
  things: readonly FileThing[],
  stored: StoredAccount,
  ids: Ids,
  diff: Diff,
  progress: (done: number) => void,
): Promise<void> {
  const keyOf = keysOf(stored, ids);
  const contacts = new Set(ids.get('contact')!.values());
  const on: SettledOn = { now, from: 'file', remains: id => contacts.has(id) };
  for (const [at, thing] of things.entries()) {
    const { kind, key } = thing;
    const resource = resourceOf(kind);
    for (const one of resource.references(thing.doc!)) one.take(ids.get(one.kind)!.get(one.named)!);
    const before = stored.things.get(kind)!.get(key) ?? null;
    if (kind === 'contact') {
      thing.doc = withConnected(thing.doc as unknown as ContactDoc, before as Stored<ContactDoc> | null) as Document;
    }
    const after = thing.doc!;
    const unsettled = resource.settle?.(after, before?.doc ?? null, on) ?? [];
    diff.problems.push(...atThing(thing, unsettled));
    if (!isDeepStrictEqual(before?.doc, after)) {
      const id = ids.get(kind)!.get(key)!;
      // With what is kept of it, a thing may exceed what it does not exceed as the file has it.
      const excess = thing.excess.length > 0 ? thing.excess : atThing(thing, resource.excess?.(after) ?? []);
      diff.problems.push(...excess);
      diff.edits.push(editOf(resource, id, before, after));
      diff.changes.push(changeOf(thing, id, before?.doc ?? null, keyOf));
    }
    if (at % AT_ONCE === AT_ONCE - 1) {
      progress(at + 1);
      await setImmediate();
    }
  }
}

function atThing(thing: FileThing, faults: readonly FieldFault[]): Problem[] {
  return faults.map(fault => problemAt(thing, `${thing.field}.${fault.field}`, fault.problem));
}

function changeOf(thing: FileThing, id: string, before: Document | null, keyOf: KeyOf): PlannedChange {
  const { kind, key, doc, hidden } = thing;
  const name = resourceOf(kind).nameOf(doc!);
  if (before === null) return { action: 'create', kind, key, id, name, fields: [] };
  const fields = differences(inFileWords(before, keyOf), inFileWords(doc, keyOf), hidden);
  return { action: 'update', kind, key, id, name, fields };
}

/** Deletes what a file that prunes gives no id: users before what they use, as people would. API keys are revoked instead. */
function diffDeletions(stored: StoredAccount, ids: Ids, diff: Diff): void {
  const unnamed = (kind: ResourceKind) => {
    const named = ids.get(kind)!;
    return [...stored.things.get(kind)!.values()].filter(({ doc }) => !named.has(doc.key));
  };
  const gone = new Set<string>();
  for (const kind of [...stored.things.keys()].reverse()) {
    if (kind === 'api_key') continue;
    for (const before of unnamed(kind)) {
      gone.add(before.id);
      diff.edits.push(editOf(resourceOf(kind), before.id, before, null));
      diff.changes.push(deletionOf(kind, before));
    }
  }
  for (const key of unnamed('api_key') as Diff['revoked']) {
    // An expired key is no longer valid, so it goes only if it would keep an alarm from being deleted.
    if (key.facts.status === 'expired' && !gone.has(key.doc.alarmId)) continue;
    diff.revoked.push(key);
    diff.changes.push(deletionOf('api_key', key));
  }
}

function deletionOf(kind: ResourceKind, { id, doc }: Stored): PlannedChange {
  return { action: 'delete', kind, key: doc.key, id, name: resourceOf(kind).nameOf(doc), fields: [] };
}
