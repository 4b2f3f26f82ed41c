import { Segments } from '../../design/fields.tsx';
import { Empty } from '../../design/parts.tsx';
import { useQuery } from '../live/use-query.ts';
import { FindingList } from '../parts/finding-list.tsx';
import { nameOfMode } from '../parts/mode-name.ts';
import { PreviewLine } from '../parts/preview.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { READ, readiness } from '../rpc/rpc.ts';
import { filter, query } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { isAlarm, type Source } from './source.ts';

/** How many are shown at once. */
const FINDINGS = 20;

/** Answers whether it would work: who would be told when, mode by mode, and what is in the way. */
export function WouldIt({ of }: { of: Source }) {
  const say = wordsOf('alarms');
  const modes = isAlarm(of) ? of.modes : [];
  const asked = query.value.get('mode') ?? '';
  const armed = isAlarm(of) && of.armedMode !== 'disarmed' ? of.armedMode : 'away';
  const mode = (modes.find(({ id }) => id === asked) ?? modes.find(({ id }) => id === armed) ?? modes[0])?.id ?? '';
  const preview = useQuery(`preview ${of.id} ${mode}`, () => readiness.preview({ sourceId: of.id, mode }, READ));
  const found = useQuery(`readiness ${of.id}`, () => readiness.getReadiness({ sourceId: of.id }, READ));
  const findings = found.data?.sources[0]?.findings ?? [];
  return (
    <div class="split">
      <section class="stack">
        <h2>{say.wouldIt}</h2>
        <div class="card would-it">
          {modes.length > 0 && (
            <Segments
              label={say.mode}
              name="preview"
              value={mode}
              options={modes.map(mode => [mode.id, nameOfMode(mode)] as const)}
              onChoose={mode => filter({ mode })}
            />
          )}
          {preview.data === null ? <Waiting on={preview} /> : <PreviewLine of={preview.data} />}
        </div>
      </section>
      <section class="stack">
        <h2>{words().findings.inTheWay}</h2>
        {found.data === null ? (
          <Waiting on={found} />
        ) : (
          <div class="card">
            {findings.length === 0 ? (
              <Empty icon="check" title={words().findings.clear.title} text={say.clearText} />
            ) : (
              <FindingList findings={findings} of="one" most={FINDINGS} />
            )}
          </div>
        )}
      </section>
    </div>
  );
}
