import type { Finding } from '../../../gen/tocsin/console/v1/readiness_pb.ts';
import { Chip, Empty } from '../design/parts.tsx';
import { words } from './words.ts';

/** How many are shown at once. */
const SHOWN = 5;

/** What stands between now and an alert, worst first; the same thing in several modes of a source is one. */
export function InTheWay({ findings }: { findings: readonly Finding[] }) {
  const say = words();
  const worst = ['blocks', 'warns'].flatMap(of => findings.filter(({ severity }) => severity === of));
  const groups = [...Map.groupBy(worst, ({ sourceId, code }) => `${sourceId} ${code}`).values()];
  return (
    <section class="stack">
      <h2>{say.home.inTheWay}</h2>
      <div class="card">
        {groups.length === 0 && <Empty icon="check" {...say.home.clear} />}
        <ul class="rows">
          {groups.slice(0, SHOWN).map(([first, ...others]) => (
            <li key={`${first!.sourceId} ${first!.code}`} class="finding">
              <div class="head">
                <b dir="auto">{first!.sourceName}</b>
                <Chip tone={first!.severity === 'blocks' ? 'live' : 'warn'}>{say.severity[first!.severity]}</Chip>
              </div>
              <p dir="auto">{first!.problem}</p>
              {others.length > 0 && <p class="small">{say.home.moreModes(others.length)}</p>}
              <p class="soft small" dir="auto">
                {first!.fix}
              </p>
            </li>
          ))}
        </ul>
        {groups.length > SHOWN && <p class="finding soft small">{say.home.more(groups.length - SHOWN)}</p>}
      </div>
    </section>
  );
}
