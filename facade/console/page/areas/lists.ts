/* Fetched as one, when the first of them is opened. */
export { CallsScreen } from '../screens/calls.tsx';
export { IncidentsScreen } from '../screens/incidents.tsx';
