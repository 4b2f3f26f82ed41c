import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Call } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Choice, Empty, Field } from '../../design/parts.tsx';
import { useQuery } from '../live/use-query.ts';
import { CallRow } from '../parts/call-row.tsx';
import { LoadMore, shownNow } from '../parts/load-more.tsx';
import { Narrowed } from '../parts/narrowed.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { readSome, type Some } from '../rpc/pages.ts';
import { faultOf, incidents, READ } from '../rpc/rpc.ts';
import { daySpan, narrowing } from '../way/narrowing.ts';
import { addressOf, filter, query } from '../way/router.ts';
import { words } from '../words.ts';

/** Lists calls and what became of each: answers why one did not alert. */
export function CallsScreen() {
  const say = words().calls;
  const outcome = query.value.get('outcome') ?? '';
  const trace = (query.value.get('trace') ?? '').trim();
  const shown = shownNow();
  const to = narrowing();
  /** Behind the last call of the day: the token that begins a page there. */
  const until = query.value.get('until') ?? '';
  const read = async () => {
    if (trace !== '') return { things: await callsOf(trace), rest: 'none' as const };
    const asked = { outcome, sourceId: to.source };
    const some = await readSome(shown, async ({ pageSize, pageToken }) => {
      const page = { pageSize, pageToken: pageToken || until };
      const { calls, nextPageToken } = await incidents.listCalls({ ...asked, ...page }, READ);
      return [calls, nextPageToken];
    });
    return to.day === '' ? some : onDay(some, to.day);
  };
  const found = useQuery(`calls ${outcome} ${trace} ${to.source} ${to.day} ${until}`, read, shown);
  const isNarrowed = trace === '' && to.source + to.day !== '';
  const isFiltered = outcome !== '' || trace !== '' || isNarrowed;
  const outcomes = Object.entries(words().outcomes);
  return (
    <>
      <div>
        <h1>{say.title}</h1>
        <p class="soft">{say.lead}</p>
      </div>
      <div class="filters">
        <Choice
          name="outcome"
          label={say.outcome}
          value={outcome}
          options={[['', words().all], ...outcomes]}
          onChoose={outcome => filter({ outcome })}
        />
        <div class="wide">
          <Field label={say.trace} name="trace" type="search" value={trace} onInput={trace => filter({ trace })} />
        </div>
      </div>
      {isNarrowed && (
        <Narrowed
          to={{ ...to, place: '', key: '', person: '' }}
          names={{
            place: '',
            source: found.data?.things.find(({ sourceName }) => sourceName !== '')?.sourceName ?? '',
          }}
        />
      )}
      {found.data === null ? (
        <Waiting on={found} />
      ) : (
        <div class="card">
          <ul class="rows in-columns">
            {found.data.things.map(call => (
              <CallRow key={call.traceId} call={call} />
            ))}
          </ul>
          {found.data.things.length === 0 && (isFiltered ? <Empty icon="search" {...say.noMatch} /> : <First />)}
        </div>
      )}
      {found.data !== null && <LoadMore rest={found.data.rest} />}
    </>
  );
}

/** Newest first, what is of an earlier day ends the list. */
function onDay({ things, rest }: Some<Call>, day: string): Some<Call> {
  const { from, to } = daySpan(day);
  const ends = things.some(({ at }) => at !== undefined && timestampDate(at) < from);
  const its = things.filter(({ at }) => at !== undefined && timestampDate(at) >= from && timestampDate(at) < to);
  return { things: its, rest: ends ? 'none' : rest };
}

/** Returns the calls with a traceId. What cannot be a traceId has none. */
async function callsOf(traceId: string) {
  try {
    return (await incidents.findCall({ traceId }, READ)).calls;
  } catch (fault) {
    if (faultOf(fault).kind === 'not_found' || faultOf(fault).kind === 'refused') return [];
    throw fault;
  }
}

function First() {
  const { title, text } = words().calls.none;
  return (
    <Empty icon="calls" title={title} text={text}>
      <code>curl -H "X-API-Key: $KEY" {addressOf('v1/integration/describe')}</code>
    </Empty>
  );
}
