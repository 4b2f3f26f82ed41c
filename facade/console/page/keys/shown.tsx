import type { ApiKey } from '../../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { Icon } from '../../design/icon.tsx';
import { Copy } from '../copy.tsx';
import { addressOf } from '../router.ts';
import { wordsOf } from '../words.ts';

/** A key with a secret that was made just now. */
export interface MadeKey {
  key: ApiKey;
  secret: string;
}

/** A new secret, this once, with a line that tries it. */
export function ShownKey({ of: { key, secret }, onDone }: { of: MadeKey; onDone(): void }) {
  const say = wordsOf('keys').once;
  const curl = `curl -H "X-API-Key: ${secret}" ${addressOf('v1/integration/describe')}`;
  return (
    <section class="card editor shown-once" role="status">
      <h2 dir="auto">
        <Icon name="keys" /> {say.title(key.label)}
      </h2>
      <p>{say.text}</p>
      <div class="copied">
        <code>{secret}</code>
        <Copy text={secret} of={say.secret} />
      </div>
      <p class="soft small">{say.curl}</p>
      <div class="copied">
        <code>{curl}</code>
        <Copy text={curl} of={say.curlName} />
      </div>
      <div>
        <button type="button" class="button" onClick={onDone}>
          {say.done}
        </button>
      </div>
    </section>
  );
}
