import { useState } from 'preact/hooks';
import { Confirm } from '../../design/parts.tsx';
import { Refused, useDoing } from '../edit.tsx';
import { may } from '../may.ts';
import { go } from '../router.ts';
import { alarms, panicButtons } from '../rpc.ts';
import { words, wordsOf } from '../words.ts';
import { isAlarm, type Source } from './source.ts';

/** Deletes a source after one question; what still uses it is named. */
export function DeleteSource({ of }: { of: Source }) {
  const say = wordsOf('alarms');
  const [asking, ask] = useState(false);
  const doing = useDoing();
  if (!may('configure')) return null;
  const { id } = of;
  const remove = () =>
    isAlarm(of) ? alarms.deleteAlarm({ alarmId: id }) : panicButtons.deletePanicButton({ panicButtonId: id });
  return (
    <section class="stack end">
      <Refused on={doing} />
      <button type="button" class="button bare danger" onClick={() => ask(true)}>
        {say.deleteSource(of.name)}
      </button>
      {asking && (
        <Confirm
          title={say.confirmDelete(of.name)}
          text={say.deleteText}
          yes={words().remove}
          no={words().cancel}
          tone="live"
          wrong={null}
          working={doing.is === 'working'}
          onYes={() =>
            void doing.run(remove).then(came => {
              ask(false);
              if (came === 'done') go('alarms', 'in_place');
            })
          }
          onNo={() => ask(false)}
        />
      )}
    </section>
  );
}
