import { useState } from 'preact/hooks';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import { RECIPE_NAMES, type RecipeName } from '../../../recipes/recipes.ts';
import { Segments } from '../../design/fields.tsx';
import { RecipeText } from '../alarms/recipe-text.tsx';
import { useDoing } from '../forms/edit.tsx';
import { DeviceName } from '../keys/device-name.tsx';
import { pageAddress, useDeviceAddress } from '../parts/device-address.ts';
import { may } from '../rpc/permissions.ts';
import { apiKeys } from '../rpc/rpc-keys.ts';
import { wordsOf } from '../words.ts';
import { CallFromHere } from './call-from-here.tsx';

/** The state of this step's key: not made here, shown, or taken by its reader. */
export interface ShownOnceKey {
  is: 'none' | 'shown' | 'noted';
  /** Empty unless it is shown. */
  secret: string;
}

/**
 * Creates a key for one device, shows it once in a text for what calls with it, then waits for the first call. The key stays until its
 * reader has it: the first call may come before that.
 */
export function CallStep(on: {
  alarm: Alarm;
  call: 'waiting' | 'arrived';
  shown: ShownOnceKey;
  onKey(shown: ShownOnceKey): void;
}) {
  const say = wordsOf('start').call;
  const doing = useDoing();
  const { is, secret } = on.shown;
  const recipes = wordsOf('recipes');
  const { base } = useDeviceAddress();
  const [what, choose] = useState<RecipeName>('curl');
  const [named, name] = useState<string | null>(null);
  const label = named ?? recipes.devices[what] ?? say.proposed;
  const make = () =>
    doing.run(async () => {
      const { secret } = await apiKeys.createApiKey({ apiKey: { label } });
      on.onKey({ is: 'shown', secret });
    });
  return (
    <>
      {may('manage') && (
        <Segments
          as="tiles"
          label={say.what}
          name="recipe"
          value={what}
          options={RECIPE_NAMES.map(name => [name, recipes.names[name] ?? name] as const)}
          onChoose={name => choose(name as RecipeName)}
        />
      )}
      {is !== 'shown' && <DeviceName label={label} say={say} doing={doing} onInput={name} />}
      {is === 'shown' && (
        <div class="stack">
          <p>{say.once}</p>
          <RecipeText name={what} of={on.alarm} base={base ?? pageAddress()} secret={secret} />
          <CallFromHere of={on.alarm} secret={secret} />
        </div>
      )}
      <div class="do">
        {is === 'shown' && (
          <button type="button" class="button" onClick={() => on.onKey({ is: 'noted', secret: '' })}>
            {say.noted}
          </button>
        )}
        {is !== 'shown' && may('manage') && (
          <button
            type="button"
            class={is === 'none' ? 'button' : 'button quiet'}
            disabled={doing.is === 'working'}
            onClick={() => void make()}
          >
            {is === 'none' ? say.do : say.again}
          </button>
        )}
        {!may('manage') && <p class="soft">{say.ownerMakes}</p>}
      </div>
      {on.call === 'waiting' && (is !== 'none' || !may('manage')) && (
        <p class="waits" role="status">
          {say.waiting}
        </p>
      )}
    </>
  );
}
