import type { Finding } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import { Empty } from '../../design/parts.tsx';
import { words } from '../words.ts';
import { FindingList } from './finding-list.tsx';

/** How many are shown at once. */
const SHOWN = 5;

/** Lists what stands between now and an alert, worst first. */
export function InTheWay({ findings }: { findings: readonly Finding[] }) {
  const say = words().findings;
  const worst = ['blocks', 'warns'].flatMap(of => findings.filter(({ severity }) => severity === of));
  return (
    <section class="stack">
      <h2>{say.inTheWay}</h2>
      <div class="card">
        {worst.length === 0 ? (
          <Empty icon="check" {...say.clear} />
        ) : (
          <FindingList findings={worst} of="all" most={SHOWN} />
        )}
      </div>
    </section>
  );
}
