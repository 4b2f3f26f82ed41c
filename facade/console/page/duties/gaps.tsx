import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty, DutyPerson, DutyShift } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { Icon } from '../../design/icon.tsx';
import { may } from '../rpc/permissions.ts';
import { addressOf } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { spanOfShift } from './say.ts';
import { isReached, useShifts } from './shifts.ts';

/** How far ahead gaps are looked for, in days, as readiness does. */
const AHEAD_DAYS = 14;

/** Says when nobody on duty can be reached within the next days, and for each of them what to do. */
export function Gaps({ of, people, zone }: { of: Duty; people: readonly Contact[]; zone: string }) {
  const say = wordsOf('duties');
  const { data } = useShifts(of, AHEAD_DAYS);
  const gaps = (data ?? []).filter(shift => !isReached(shift, people));
  if (gaps.length === 0) return null;
  return (
    <div class="notice gaps">
      <Icon name="alert" />
      <div>
        <b>{say.gaps}</b>
        <ul>
          {byPerson(gaps).map(([person, [first, ...more]]) => (
            <li key={person.contactId}>
              <span dir="auto">
                {say.gap(person.name, spanOfShift(first!, zone))}
                {more.length > 0 && ` ${say.moreGaps(more.length)}`}
              </span>{' '}
              <a href={addressOf(`people/${person.contactId}#ways`)} data-screen>
                {may('configure') ? say.giveWay : say.seeWays}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function byPerson(gaps: readonly DutyShift[]): [DutyPerson, DutyShift[]][] {
  const found = new Map<string, [DutyPerson, DutyShift[]]>();
  for (const gap of gaps) {
    for (const person of gap.contacts) {
      const known = found.get(person.contactId);
      if (known === undefined) found.set(person.contactId, [person, [gap]]);
      else known[1].push(gap);
    }
  }
  return [...found.values()];
}
