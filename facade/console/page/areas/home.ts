/* What Home shows besides its first sentence, fetched as one. */
export { AcknowledgeAll } from '../parts/acknowledge-all.tsx';
export { Beginning } from '../parts/beginning.tsx';
export { InTheWay } from '../parts/in-the-way.tsx';
export { Sources } from '../parts/sources.tsx';
export { Storm } from '../parts/storm.tsx';
export { Tonight } from '../parts/tonight.tsx';
export { Windows } from '../parts/windows.tsx';
export { tonight } from '../rpc/rpc-tonight.ts';
