/** How many keys are told that joined an incident, besides the first: the latest ones. */
const JOINED_MOST = 3;

/**
 * The numbers of the keys that tripped something, each once: the first, then those that joined it last, in the order of their last
 * trigger (DECISIONS.md "What tripped").
 */
export type TrippedKeys = readonly number[];

/** Labels of keys by the numbers of the keys, as they were when each of them tripped. */
export type TrippedLabels = Readonly<Record<string, string>>;

/** Returns the keys after a further trigger. `key`: the number of its key; null: nobody's key, which changes nothing. */
export function trippedAlso(keys: TrippedKeys, key: number | null): TrippedKeys {
  if (key === null || keys[0] === key || keys.at(-1) === key) return keys;
  const [first, ...joined] = keys;
  if (first === undefined) return [key];
  return [first, ...[...joined.filter(other => other !== key), key].slice(-JOINED_MOST)];
}

/** Returns what is told: the labels, the first key's first, each once, as their owners wrote them. */
export function trippedBy(keys: TrippedKeys, labels: TrippedLabels): string[] {
  return [...new Set(keys.flatMap(key => labels[key] ?? []))];
}
