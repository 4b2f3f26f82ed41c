import { useState } from 'preact/hooks';
import { Dialog } from '../../design/dialog.tsx';
import { Toggle } from '../../design/fields.tsx';
import { wordsOf } from '../words.ts';
import { areSingleKeysOn, turnSingleKeys } from './keys.ts';

/** Lists what keys do, and lets this device do without those that need no Ctrl. */
export function Shortcuts({ onClose }: { onClose(): void }) {
  const say = wordsOf('jump');
  const [single, setSingle] = useState(areSingleKeysOn);
  return (
    <Dialog title={say.keys} onClose={onClose}>
      <dl class="keys">
        {say.does.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Toggle
        label={say.single}
        text={say.singleText}
        value={single}
        onChange={to => {
          turnSingleKeys(to ? 'on' : 'off');
          setSingle(to);
        }}
      />
      <div class="choices">
        <button type="button" class="button quiet" onClick={onClose}>
          {say.close}
        </button>
      </div>
    </Dialog>
  );
}
