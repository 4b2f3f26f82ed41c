/**
 * The labels of keys by the numbers of the keys, as an SQL expression (DECISIONS.md "What tripped"). `keys`: a jsonb array of
 * numbers of an account's keys. `known`: labels that were copied before and stay as they are.
 */
function labelsOf(account: string, keys: string, known: string): string {
  return `coalesce((
    SELECT jsonb_object_agg(n.seq, coalesce(${known} -> n.seq, to_jsonb(k.label)))
    FROM jsonb_array_elements_text(${keys}) n (seq)
    JOIN api_key k ON k.account_id = ${account} AND k.seq = n.seq::bigint
  ), '{}')`;
}

/** Returns the labels that an incident copies when it opens. */
export function labelsNow(account: string, keys: string): string {
  return labelsOf(account, keys, "'{}'::jsonb");
}

/** Returns the labels of incident `i` once `keys` tripped it: what it copied stays, those of keys that joined are as they are now. */
export function labelsKept(i: string, keys: string): string {
  return `CASE WHEN ${keys} = ${i}.tripped_keys THEN ${i}.tripped_labels
    ELSE ${labelsOf(`${i}.account_id`, keys, `${i}.tripped_labels`)} END`;
}
