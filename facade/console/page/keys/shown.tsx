import type { ApiKey } from '../../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { ShownOnce } from '../parts/copy.tsx';
import { addressOf } from '../way/router.ts';
import { wordsOf } from '../words.ts';

/** A key with a secret that was made just now. */
export interface MadeKey {
  key: ApiKey;
  secret: string;
}

/** Shows a new secret once, with a line that tries it. */
export function ShownKey({ of: { key, secret }, onDone }: { of: MadeKey; onDone(): void }) {
  const say = wordsOf('keys').once;
  const curl = `curl -H "X-API-Key: ${secret}" ${addressOf('v1/integration/describe')}`;
  return (
    <ShownOnce
      title={say.title(key.label)}
      text={say.text}
      secret={secret}
      of={say.secret}
      trial={{ text: say.curl, line: curl, of: say.curlName }}
      done={say.done}
      onDone={onDone}
    />
  );
}
