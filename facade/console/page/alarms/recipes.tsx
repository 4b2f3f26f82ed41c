import { useState } from 'preact/hooks';
import { RECIPE_NAMES } from '../../../recipes/recipes.ts';
import { Choice } from '../../design/parts.tsx';
import { useDoing } from '../forms/edit.tsx';
import { DeviceName } from '../keys/device-name.tsx';
import { useDeviceAddress } from '../parts/device-address.ts';
import { Waiting } from '../parts/waiting.tsx';
import { may } from '../rpc/permissions.ts';
import { apiKeys } from '../rpc/rpc-keys.ts';
import { filter, query } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { RecipeText } from './recipe-text.tsx';
import { isAlarm, type Source } from './source.ts';

/** Shows recipes for the devices that call this source: whole texts with its id and address, and with a key that is made here. */
export function Recipes({ of }: { of: Source }) {
  const say = wordsOf('recipes');
  const { found, base } = useDeviceAddress();
  const [secret, show] = useState<string | null>(null);
  const name = RECIPE_NAMES.find(name => name === query.value.get('recipe')) ?? 'curl';
  if (base === null) return <Waiting on={found} />;
  return (
    <section class="stack" id="recipes">
      <h2>{say.title}</h2>
      <div class="card form">
        <p class="soft">{say.lead}</p>
        <Choice
          label={say.for}
          name="recipe"
          value={name}
          options={RECIPE_NAMES.map(name => [name, say.names[name] ?? name] as const)}
          onChoose={recipe => filter({ recipe })}
        />
        <RecipeText {...{ name, of, base, secret }} />
        {secret === null ? (
          <MakeKey key={name} of={of} proposed={say.devices[name] ?? ''} onMade={show} />
        ) : (
          <p class="notice" role="status">
            <span>{say.keyShown}</span>
            <button type="button" class="button quiet" onClick={() => show(null)}>
              {say.keyDone}
            </button>
          </p>
        )}
      </div>
    </section>
  );
}

/** Makes a key for one device. `proposed`: what it may be called; whoever makes it says which one it is. */
function MakeKey({ of, proposed, onMade }: { of: Source; proposed: string; onMade(secret: string): void }) {
  const say = wordsOf('recipes');
  const doing = useDoing();
  const [label, name] = useState(proposed);
  const make = () =>
    doing.run(async () => {
      const { secret } = await apiKeys.createApiKey({ apiKey: { label, alarmId: isAlarm(of) ? of.id : '' } });
      onMade(secret);
    });
  return (
    <>
      <p class="soft small">{say.keyMissing}</p>
      <DeviceName label={label} say={say} doing={doing} onInput={name} />
      {may('manage') && (
        <div class="choices">
          <button type="button" class="button quiet" disabled={doing.is === 'working'} onClick={() => void make()}>
            {say.createKey}
          </button>
          <span class="soft small">{isAlarm(of) ? say.createKeyAlarm : say.createKeyAll}</span>
        </div>
      )}
    </>
  );
}
