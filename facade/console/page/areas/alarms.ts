/* Fetched as one, when the first of them is opened. */
export { AlarmsScreen } from '../screens/alarms.tsx';
export { AlarmScreen, PanicButtonScreen } from '../screens/source.tsx';
