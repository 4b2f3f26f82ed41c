import { useEffect, useState } from 'preact/hooks';
import { AlarmForm, alarmDraft } from '../alarms/alarm-form.tsx';
import { Days } from '../alarms/days.tsx';
import { SourceHead } from '../alarms/head.tsx';
import { useKnown } from '../alarms/known.ts';
import { usePlaces } from '../alarms/lists.ts';
import { PanicForm, panicDraft } from '../alarms/panic-form.tsx';
import { Reads, WouldTell } from '../alarms/reads.tsx';
import { Recipes } from '../alarms/recipes.tsx';
import { isAlarm, type Source } from '../alarms/source.ts';
import { WouldIt } from '../alarms/would-it.tsx';
import { Delete } from '../forms/delete.tsx';
import { isUnsaved } from '../forms/draft.ts';
import { useQuery } from '../live/use-query.ts';
import { Gone } from '../parts/back.tsx';
import { LastCalls, useLastCalls } from '../parts/last-calls.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { usePolicies } from '../people/people.ts';
import { may } from '../rpc/permissions.ts';
import { alarms, panicButtons, READ } from '../rpc/rpc.ts';
import { filter, go, named } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

/** How many of its calls are shown. */
const CALLS = 10;

/** One of the two kinds of what can fire: an alarm, or a panic button, which is always on: no modes, no arming, no window. */
interface Kind {
  name: string;
  /** The name of its edit. */
  draft(id: string): string;
  read(id: string): Promise<Source>;
  remove(id: string): Promise<unknown>;
}

const ALARM: Kind = {
  name: 'alarm',
  draft: alarmDraft,
  read: async alarmId => (await alarms.getAlarm({ alarmId }, READ)).alarm!,
  remove: alarmId => alarms.deleteAlarm({ alarmId }),
};

const PANIC_BUTTON: Kind = {
  name: 'panic button',
  draft: panicDraft,
  read: async panicButtonId => (await panicButtons.getPanicButton({ panicButtonId }, READ)).panicButton!,
  remove: panicButtonId => panicButtons.deletePanicButton({ panicButtonId }),
};

export const AlarmScreen = ({ id }: { id: string }) => <SourceScreen kind={ALARM} id={id} />;
export const PanicButtonScreen = ({ id }: { id: string }) => <SourceScreen kind={PANIC_BUTTON} id={id} />;

/** What an address may name on this screen that is no field of the form. */
const ELSEWHERE: ReadonlySet<string> = new Set(['test', 'recipes']);

/** Shows an alarm or a panic button, and answers whether it would work. Its form opens when it is asked for. */
function SourceScreen({ kind, id }: { kind: Kind; id: string }) {
  const say = wordsOf('alarms');
  const found = useQuery(`${kind.name} ${id}`, () => kind.read(id));
  const places = usePlaces();
  const calls = useLastCalls(CALLS, id);
  const policies = usePolicies();
  const { known } = useKnown();
  const [mode, turn] = useState<'view' | 'edit' | 'saved'>(() => (isUnsaved(kind.draft(id)) ? 'edit' : 'view'));
  const isField = named.value !== '' && !ELSEWHERE.has(named.value);
  useEffect(() => {
    if (isField) turn('edit');
  }, [named.value]);
  const isGone = found.fault?.kind === 'not_found' || found.fault?.kind === 'refused';
  if (found.data === null && isGone) return <Gone say={say.gone} to="alarms" all={say.all} />;
  if (found.data === null) return <Waiting on={found} />;
  if (places.data === null || policies.data === null) return <Waiting on={places.data === null ? places : policies} />;
  const of = found.data;
  const onDone = (stored: Source | null) => {
    if (stored !== null) found.put(stored);
    turn(stored === null ? 'view' : 'saved');
    // The same link may ask for its field once more.
    filter({});
  };
  const choices = { places: places.data, policies: policies.data, onDone };
  const isEdited = mode === 'edit' && may('configure');
  return (
    <>
      <SourceHead of={of} place={places.data.find(({ id }) => id === of.locationId)} known={known}>
        {may('configure') && !isEdited && (
          <button type="button" class="button quiet" onClick={() => turn('edit')}>
            {words().edit}
          </button>
        )}
        <span class="soft small" role="status">
          {mode === 'saved' && words().saved}
        </span>
      </SourceHead>
      {isEdited && (
        <section class="stack">
          <h2>{say.settings}</h2>
          {isAlarm(of) ? <AlarmForm of={of} {...choices} /> : <PanicForm of={of} {...choices} />}
        </section>
      )}
      {!isEdited && (
        <div class="split">
          <WouldTell of={of} />
          <Reads of={of} policies={policies.data} calls={calls} />
        </div>
      )}
      <WouldIt of={of} />
      <Days id={id} />
      <LastCalls calls={calls} of="one" none={{ title: say.waitingForCall, text: say.waitingText }} />
      <Recipes of={of} />
      {may('configure') && (
        <section class="stack end">
          <Delete
            place="last"
            label={say.deleteSource(of.name)}
            title={say.confirmDelete(of.name)}
            text={say.deleteText}
            act={() => kind.remove(id)}
            onDone={() => go('alarms', 'in_place')}
          />
        </section>
      )}
    </>
  );
}
