/* What people do beside acknowledging, fetched as one when an incident is opened. */
export { Disposition } from '../parts/disposition.tsx';
export { HandOver, Note } from '../parts/going-on-dialogs.tsx';
