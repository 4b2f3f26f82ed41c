import type { ApiKey } from '../../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { ShownOnce } from '../parts/copy.tsx';
import { pageAddress, useDeviceAddress } from '../parts/device-address.ts';
import { wordsOf } from '../words.ts';

/** A key with a secret that was made just now. */
export interface MadeKey {
  key: ApiKey;
  secret: string;
}

/** Shows a new secret once, with a line that tries it. */
export function ShownKey({ of: { key, secret }, onDone }: { of: MadeKey; onDone(): void }) {
  const say = wordsOf('keys').once;
  const { base } = useDeviceAddress();
  const curl = `curl -H "X-API-Key: ${secret}" ${base ?? pageAddress()}/v1/integration/describe`;
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
