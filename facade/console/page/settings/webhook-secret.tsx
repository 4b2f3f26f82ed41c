import { useState } from 'preact/hooks';
import { Refused, useDoing } from '../forms/edit.tsx';
import { Copying } from '../parts/copy.tsx';
import { accounts, READ } from '../rpc/rpc.ts';
import { wordsOf } from '../words.ts';

/** Shown on request, and gone when the screen is left. */
export function WebhookSecret() {
  const say = wordsOf('settings').webhook;
  const [secret, show] = useState('');
  const doing = useDoing();
  const ask = () => doing.run(async () => show((await accounts.getWebhookSecret({}, READ)).secret));
  return (
    <section class="stack">
      <h2>{say.title}</h2>
      <p class="soft">{say.text}</p>
      <div class="card form">
        {secret === '' ? (
          <>
            <p>{say.warning}</p>
            <Refused on={doing} />
            <div class="choices">
              <button type="button" class="button quiet" disabled={doing.is === 'working'} onClick={() => void ask()}>
                {say.show}
              </button>
            </div>
          </>
        ) : (
          <>
            <Copying text={secret} of={say.title} />
            <div class="choices">
              <button type="button" class="button" onClick={() => show('')}>
                {say.hide}
              </button>
            </div>
          </>
        )}
      </div>
    </section>
  );
}
