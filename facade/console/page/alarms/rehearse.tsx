import { useState } from 'preact/hooks';
import type { RehearseResponse } from '../../../../gen/tocsin/console/v1/drills_pb.ts';
import { Dialog } from '../../design/dialog.tsx';
import { Choice } from '../../design/parts.tsx';
import { Refused, useDoing } from '../forms/edit.tsx';
import { nameOfMode } from '../parts/mode-name.ts';
import { spanOf } from '../parts/span.ts';
import { drills } from '../rpc/rpc-people.ts';
import { addressOf } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { isAlarm, type Source } from './source.ts';

/** Triggers a source in test, and shows line by line what would have happened. */
export function Rehearse({ of }: { of: Source }) {
  const say = wordsOf('alarms');
  const [is, now] = useState<'closed' | 'open'>('closed');
  const [mode, setMode] = useState('');
  const [came, setCame] = useState<RehearseResponse | null>(null);
  const doing = useDoing();
  const run = () =>
    doing.run(async () => {
      setCame(null);
      setCame(await drills.rehearse({ sourceId: of.id, mode }));
    });
  const close = () => {
    now('closed');
    setCame(null);
    doing.forget();
  };
  return (
    <>
      <button type="button" class="button quiet" onClick={() => now('open')}>
        {say.rehearse}
      </button>
      {is === 'open' && (
        <Dialog title={say.rehearseTitle(of.name)} onClose={close}>
          <form
            onSubmit={event => {
              event.preventDefault();
              void run();
            }}
          >
            <p class="soft">{say.rehearseText}</p>
            {isAlarm(of) && of.modes.length > 0 && (
              <Choice
                label={say.mode}
                name="mode"
                value={mode}
                options={[['', say.modeOfNow], ...of.modes.map(mode => [mode.id, nameOfMode(mode)] as const)]}
                onChoose={setMode}
              />
            )}
            <Refused on={doing} />
            {came !== null && <Transcript of={came} />}
            <div class="choices">
              <button type="submit" class="button" disabled={doing.is === 'working'}>
                {came === null ? say.rehearse : say.again}
              </button>
              <button type="button" class="button quiet" onClick={close}>
                {say.close}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}

function Transcript({ of: { lines, incident } }: { of: RehearseResponse }) {
  const say = wordsOf('alarms');
  return (
    <section class="preview" aria-live="polite">
      <h3>{say.transcript}</h3>
      <ol class="timeline">
        {lines.map(({ afterS, text }, index) => (
          <li key={`${index} ${afterS}`} class="done">
            <span class="when">{afterS === 0 ? wordsOf('preview').atOnce : spanOf(afterS)}</span>
            <span class="said" dir="auto">
              {text}
            </span>
          </li>
        ))}
      </ol>
      {incident?.incident !== undefined && (
        <a class="small" href={addressOf(`incidents/${incident.incident.id}`)} data-screen>
          {say.itsIncident}
        </a>
      )}
    </section>
  );
}
