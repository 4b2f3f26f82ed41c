import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { Finding } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import { useQuery } from '../live/use-query.ts';
import { FindingList } from '../parts/finding-list.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { READ, readiness } from '../rpc/rpc.ts';
import { wordsOf } from '../words.ts';

/** How many are shown at once. */
const SHOWN = 5;

/** Asks what would keep an alarm from alerting as intended once it is live. */
export function useInTheWay(of: Alarm) {
  return useQuery(`in the way of ${of.id}`, async (): Promise<Finding[]> => {
    const { sources } = await readiness.getReadiness({ sourceId: of.id, whenLive: true }, READ);
    // Proving that they answer is a step of its own.
    const asked = (sources[0]?.findings ?? []).filter(({ code }) => code !== 'never_proven');
    return asked.filter(({ severity }) => severity !== 'notes');
  });
}

/** Says what is still in the way of a live alert, before anybody relies on it, with where to mend each. */
export function InTheWayOf({ found }: { found: ReturnType<typeof useInTheWay> }) {
  const say = wordsOf('start').live;
  if (found.data === null) return <Waiting on={found} />;
  if (found.data.length === 0) return <p class="soft">{say.clear}</p>;
  return (
    <section class="stack in-the-way">
      <h3>{say.inTheWay}</h3>
      <FindingList findings={found.data} of="one" most={SHOWN} />
    </section>
  );
}
