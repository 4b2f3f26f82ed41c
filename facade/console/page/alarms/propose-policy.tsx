import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { wordsOf } from '../words.ts';

/**
 * Returns the id of the policy that is proposed: the only one. Of several none is, as a guess would wake the wrong people in
 * silence.
 */
export function proposedPolicy(policies: readonly Policy[]): string {
  return policies.length === 1 ? policies[0]!.id : '';
}

/** Offers the only policy to what has none and would alert nobody. What is stored changes only when it is saved. */
export function ProposePolicy(on: { value: string; policies: readonly Policy[]; onChoose(policyId: string): void }) {
  const say = wordsOf('alarms');
  const proposed = proposedPolicy(on.policies);
  const policy = on.policies.find(({ id }) => id === proposed);
  if (on.value !== '' || policy === undefined) return null;
  return (
    <button type="button" class="button quiet propose" onClick={() => on.onChoose(policy.id)}>
      {say.proposePolicy(policy.name)}
    </button>
  );
}
