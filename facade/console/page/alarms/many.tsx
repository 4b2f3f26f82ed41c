import { useState } from 'preact/hooks';
import { ConfirmAct } from '../forms/confirm-act.tsx';
import { useDoing } from '../forms/edit.tsx';
import { inBatches } from '../forms/in-batches.ts';
import { may } from '../rpc/permissions.ts';
import { language, words, wordsOf } from '../words.ts';
import { type Source, setTest } from './source.ts';
import { ChooseTestFor, TEST_FOR, TEST_FOR_S, type TestFor } from './test-for.tsx';

/** The most names that a question lists. */
const NAMED = 8;

/** Puts the chosen sources in test, or live, after one question. */
export function Many({ of, onDone }: { of: readonly Source[]; onDone(): void }) {
  const say = wordsOf('alarms');
  const [asking, ask] = useState<'test' | 'live' | null>(null);
  const [lasts, last] = useState<TestFor>(TEST_FOR);
  const doing = useDoing();
  if (of.length === 0 || !may('configure')) return null;
  const names = of.slice(0, NAMED).map(({ name }) => name);
  const listed = new Intl.ListFormat(language.value).format(
    of.length > NAMED ? [...names, say.others(of.length - NAMED)] : names,
  );

  return (
    <section class="card many" aria-label={words().incidents.selected(of.length)}>
      <b>{words().incidents.selected(of.length)}</b>
      <button type="button" class="button quiet" onClick={() => ask('test')}>
        {say.toTest}
      </button>
      <button type="button" class="button" onClick={() => ask('live')}>
        {say.goLive}
      </button>
      {asking !== null && (
        <ConfirmAct
          doing={doing}
          title={asking === 'test' ? say.confirmTest(of.length) : say.confirmLive(of.length)}
          text={asking === 'test' ? say.testText(listed) : say.liveText(listed)}
          yes={asking === 'test' ? say.toTest : say.goLive}
          tone={asking === 'live' ? 'live' : 'plain'}
          act={() => {
            const lastsS = asking === 'test' ? TEST_FOR_S[lasts] : 'live';
            return inBatches(of, source => setTest(source, lastsS));
          }}
          onEnd={how => {
            ask(null);
            if (how === 'done') onDone();
          }}
        >
          {asking === 'test' && <ChooseTestFor value={lasts} onChoose={last} />}
        </ConfirmAct>
      )}
    </section>
  );
}
