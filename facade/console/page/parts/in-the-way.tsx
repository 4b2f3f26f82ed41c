import type { Finding } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import { Empty } from '../../design/parts.tsx';
import { words } from '../words.ts';
import { lazyScreen } from './lazy-screen.tsx';

/** How many are shown at once. */
const SHOWN = 5;

const FindingList = lazyScreen(async () => (await import('./finding-list.tsx')).FindingList);

/** Lists what stands between now and an alert, worst first. */
export function InTheWay({ findings }: { findings: readonly Finding[] }) {
  const say = words();
  const worst = ['blocks', 'warns'].flatMap(of => findings.filter(({ severity }) => severity === of));
  return (
    <section class="stack">
      <h2>{say.home.inTheWay}</h2>
      <div class="card">
        {worst.length === 0 ? (
          <Empty icon="check" {...say.home.clear} />
        ) : (
          <FindingList findings={worst} of="all" most={SHOWN} />
        )}
      </div>
    </section>
  );
}
