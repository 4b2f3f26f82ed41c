/*
 * All that people set up and look after, fetched as one when the first of it is opened. What is alike stands together, as that
 * compresses better.
 */

/* Alarms. */

export { AlarmsScreen } from '../screens/alarms.tsx';
export { AlarmScreen, PanicButtonScreen } from '../screens/source.tsx';

/* What devices call them with, and the way to the first call. */

export { KeysScreen } from '../screens/keys.tsx';
export { StartScreen } from '../screens/start.tsx';

/* Who is told, */

export { PeopleScreen } from '../screens/people.tsx';
export { PersonScreen } from '../screens/person.tsx';

/* in what order, */

export { PoliciesScreen } from '../screens/policies.tsx';
export { PolicyScreen } from '../screens/policy.tsx';

/* and when. */

export { DutiesScreen } from '../screens/duties.tsx';
export { DutyScreen } from '../screens/duty.tsx';

/* The account, */

export { NoticesScreen } from '../screens/notices.tsx';
export { SettingsScreen } from '../screens/settings.tsx';

/* and all accounts. */

export { OperatorScreen } from '../screens/operator.tsx';
