import { useState } from 'preact/hooks';
import { installing } from '../live/install.ts';
import { words } from '../words.ts';

/** Who was asked and does not want it; kept on this device alone. */
const REFUSED = 'install';

const isPad =
  /iPhone|iPad/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

/** Offers on a phone to put the console on the home screen; iPhones say only how. */
export function Install() {
  const say = words().install;
  const [is, now] = useState<'offered' | 'over'>(localStorage.getItem(REFUSED) === null ? 'offered' : 'over');
  const offer = installing.value;
  const isThere = matchMedia('(display-mode: standalone)').matches || !matchMedia('(pointer: coarse)').matches;
  if (is === 'over' || isThere || (offer === null && !isPad)) return null;
  const end = () => {
    localStorage.setItem(REFUSED, 'no');
    now('over');
  };
  return (
    <section class="card form" id="install">
      <h2>{say.title}</h2>
      <p>{offer === null ? say.how : say.text}</p>
      <div class="do">
        {offer !== null && (
          <button type="button" class="button" onClick={() => void offer.prompt().finally(() => now('over'))}>
            {say.do}
          </button>
        )}
        <button type="button" class="button quiet" onClick={end}>
          {say.no}
        </button>
      </div>
    </section>
  );
}
