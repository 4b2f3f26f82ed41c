import { AlarmForm } from '../alarms/alarm-form.tsx';
import { DeleteSource } from '../alarms/delete.tsx';
import { NotThere } from '../alarms/gone.tsx';
import { SourceHead } from '../alarms/head.tsx';
import { useKnown } from '../alarms/known.ts';
import { usePlaces } from '../alarms/lists.ts';
import { ItsCalls, WouldIt } from '../alarms/would-it.tsx';
import { fetched } from '../fetched.tsx';
import { useLanding } from '../landing.ts';
import { useLoad } from '../load.ts';
import { usePolicies } from '../people/people.ts';
import { alarms, READ } from '../rpc.ts';
import { wordsOf } from '../words.ts';
import { Waiting } from './home.tsx';

const Recipes = fetched('recipes', async () => (await import('../alarms/recipes.tsx')).Recipes);

/** Would it work? */
export function AlarmScreen({ id }: { id: string }) {
  const found = useLoad(`alarm ${id}`, () => alarms.getAlarm({ alarmId: id }, READ));
  const places = usePlaces();
  const policies = usePolicies();
  const { known } = useKnown();
  const isThere = found.data !== null && places.data !== null && policies.data !== null;
  useLanding(isThere ? 'there' : 'waiting');
  if (found.data === null) return <NotThere on={found} />;
  if (places.data === null || policies.data === null) return <Waiting on={places.data === null ? places : policies} />;
  const of = found.data.alarm!;
  return (
    <>
      <SourceHead of={of} place={places.data.find(({ id }) => id === of.locationId)} known={known} />
      <WouldIt of={of} />
      <section class="stack">
        <h2>{wordsOf('alarms').settings}</h2>
        <AlarmForm of={of} places={places.data} policies={policies.data} />
      </section>
      <ItsCalls of={of} />
      <Recipes of={of} />
      <DeleteSource of={of} />
    </>
  );
}
