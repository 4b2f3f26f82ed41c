import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { Choice } from '../../design/parts.tsx';
import { Refused, useDoing } from '../forms/edit.tsx';
import { apiKeys } from '../rpc/rpc-keys.ts';
import { words, wordsOf } from '../words.ts';
import type { MadeKey } from './shown.tsx';

/** As long as the services let the secret before go on where nothing is said, in seconds. */
const USUAL_S = 86_400;

/** Gives a key a second secret. `onDone`: called with it, or with null if cancelled. */
export function Rotate({ of, onDone }: { of: ApiKey; onDone(made: MadeKey | null): void }) {
  const say = wordsOf('keys').rotate;
  const doing = useDoing();
  const [overlapS, choose] = useState(USUAL_S);

  async function rotate() {
    let made: MadeKey | null = null;
    const result = await doing.run(async () => {
      const { apiKey, secret } = await apiKeys.rotateApiKey({ apiKeyId: of.id, overlapS });
      made = { key: apiKey!, secret };
    });
    if (result === 'done') onDone(made);
  }

  return (
    <form
      class="panel"
      onSubmit={event => {
        event.preventDefault();
        void rotate();
      }}
    >
      <b dir="auto">{say.title(of.label)}</b>
      <p class="soft small">{say.text}</p>
      <Choice
        label={say.overlap}
        value={String(overlapS)}
        options={Object.entries(say.overlaps)}
        onChoose={seconds => choose(Number(seconds))}
      />
      <Refused on={doing} />
      <div class="do">
        <button type="submit" class="button" disabled={doing.is === 'working'}>
          {say.do}
        </button>
        <button type="button" class="button quiet" onClick={() => onDone(null)}>
          {words().cancel}
        </button>
      </div>
    </form>
  );
}
