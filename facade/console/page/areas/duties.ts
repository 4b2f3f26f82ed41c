/* Fetched as one, when the first of them is opened. */
export { DutiesScreen } from '../screens/duties.tsx';
export { DutyScreen } from '../screens/duty.tsx';
