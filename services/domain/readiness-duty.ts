import { type Shift, shiftsOf } from './duty-shifts.ts';
import { isDuty, type PolicyNow, peopleIn, type ToldDuty } from './duty-told.ts';
import type { ContactCopy } from './escalation.ts';
import { planRuleAt } from './plan.ts';
import { type Means, reaches } from './reach.ts';
import type { PolicyFinding } from './readiness.ts';

/** How far ahead duties are looked at, in milliseconds, and how many shifts of one. */
const AHEAD_MS = 14 * 86_400_000;
const SHIFTS_MOST = 400;

/** How many duties of a policy are looked at. */
export const DUTIES_MOST = 20;

/** What was found out about duties for one answer: many policies name the same duties, and duties the same people. */
export interface DutyLook {
  means: Means;
  /** By clocks, in milliseconds since 1970. */
  now: number;
  /** Returns the shifts of a duty from now on. */
  shifts(told: ToldDuty): readonly Shift[];
  /** Tells of each of these shifts whether anybody on it would be reached by a step that names the duty so. */
  reached(told: ToldDuty): readonly boolean[];
}

/** Looks at duties as they are at `at`, in milliseconds since 1970 of the deployment's time. */
export function lookAtDuties(means: Means, at: number): DutyLook {
  const { aheadMs = 0, account } = means;
  const now = at - aheadMs;
  const shifts = remembering(({ duty }: ToldDuty) => shiftsOf(duty, now, now + AHEAD_MS, SHIFTS_MOST));
  const shiftsOfDuty = (told: ToldDuty) => shifts(told.id, told);
  const reach = remembering(
    (on: { person: ContactCopy; at: number }) => reaches(on.person, means, on.at) === 'reached',
  );
  const reached = remembering((told: ToldDuty) =>
    shiftsOfDuty(told).map(shift => {
      const from = shift.from + aheadMs;
      const plan = planRuleAt(account, from).channels.join();
      const isReached = (person: ContactCopy) =>
        reach(`${person.id}/${person.channels.join()}/${plan}`, { person, at: from });
      return peopleIn(told, shift, 0).some(isReached);
    }),
  );
  return { means, now, shifts: shiftsOfDuty, reached: told => reached(`${told.id}/${channelsOf(told)}`, told) };
}

const channelsOf = ({ channels }: ToldDuty) => channels.toSorted().join();

/** Returns a function that works out each thing once, by its name. */
function remembering<Of, Value>(work: (of: Of) => Value): (name: string, of: Of) => Value {
  const known = new Map<string, Value>();
  return (name, of) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const value = work(of);
    known.set(name, value);
    return value;
  };
}

/**
 * Returns, for each of the first DUTIES_MOST duties of a policy, the first time within 14 days in which nobody who is on it would
 * be reached, from whichever of its steps (DECISIONS.md "Nobody on duty can be reached").
 */
export function dutyFindings(policy: PolicyNow, look: DutyLook): PolicyFinding[] {
  const told = policy.steps.flatMap(({ contacts }) => contacts.filter(isDuty));
  const byDuty = [...Map.groupBy(told, ({ id }) => id).values()].slice(0, DUTIES_MOST);
  return byDuty.flatMap(steps => unreachable(policy.name, steps, look));
}

function unreachable(policy: string, steps: readonly ToldDuty[], look: DutyLook): PolicyFinding[] {
  const ways = [...new Map(steps.map(step => [channelsOf(step), step])).values()];
  const [first] = ways as [ToldDuty];
  const shifts = look.shifts(first);
  const reached = ways.map(look.reached);
  const isUnreached = (_: Shift, at: number) => !reached.some(row => row[at]);
  const begins = shifts.findIndex(isUnreached);
  if (begins < 0) return [];
  const after = shifts.findIndex((shift, at) => at > begins && !isUnreached(shift, at));
  const span = shifts.slice(begins, after < 0 ? undefined : after);
  const onIt = span.flatMap(shift => ways.flatMap(way => peopleIn(way, shift, 0)));
  const people = [...new Map(onIt.map(one => [one.id, one])).values()];
  const end = look.now + AHEAD_MS;
  const { id, key, name, duty } = first;
  const of = { id, key, name, timeZone: duty.timeZone };
  const [from, until] = [span[0]!.from, Math.min(span.at(-1)!.until ?? end, end)];
  return [{ code: 'duty_unreachable', severity: 'warns', policy, duty: of, people, from, until }];
}
