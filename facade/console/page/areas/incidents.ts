/* The lists of incidents and calls, and what an operator sees who has no account of their own yet, fetched as one. */
export { Demo } from '../operator/demo.tsx';
export { FirstAccount } from '../operator/first-account.tsx';
export { CallsScreen } from '../screens/calls.tsx';
export { IncidentsScreen } from '../screens/incidents.tsx';
