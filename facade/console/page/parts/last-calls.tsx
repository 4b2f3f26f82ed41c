import type { ComponentChildren } from 'preact';
import { Empty } from '../../design/parts.tsx';
import { useQuery } from '../live/use-query.ts';
import { incidents, READ } from '../rpc/rpc.ts';
import { addressOf } from '../way/router.ts';
import { words } from '../words.ts';
import { CallRow } from './call-row.tsx';
import { Waiting } from './waiting.tsx';

/** Returns the last calls, at most `pageSize`, of all sources or of one. */
export function useLastCalls(pageSize: number, sourceId = '') {
  return useQuery(`last calls ${sourceId}`, () => incidents.listCalls({ sourceId, pageSize }, READ));
}

/** Shows calls, of all sources or of one. `none`: what is shown until the first one arrives. */
export function LastCalls(on: {
  calls: ReturnType<typeof useLastCalls>;
  of: 'all' | 'one';
  none: { title: string; text: string };
  children?: ComponentChildren;
}) {
  const { calls } = on;
  const say = words().home;
  return (
    <section class="stack" aria-live={on.of === 'all' ? undefined : 'polite'}>
      <div class="head">
        <h2>{say.lastCalls}</h2>
        <a class="small" href={addressOf('calls')} data-screen>
          {say.allCalls}
        </a>
      </div>
      {calls.data === null ? (
        <Waiting on={calls} />
      ) : (
        <div class="card">
          <ul class="rows">
            {calls.data.calls.map(call => (
              <CallRow key={call.traceId} call={call} />
            ))}
          </ul>
          {calls.data.calls.length === 0 && (
            <Empty icon="calls" {...on.none}>
              {on.children}
            </Empty>
          )}
        </div>
      )}
    </section>
  );
}
