import { useState } from 'preact/hooks';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import { triggerUrl } from '../../../recipes/recipe.ts';
import { pageAddress } from '../parts/device-address.ts';
import { wordsOf } from '../words.ts';

/** How long the call may take, in milliseconds: as long as the recipes wait. */
const CALL_MS = 10_000;

/** What came of a call; `status` 0: no answer did. */
interface Came {
  status: number;
  /** Why it was refused, in the words of the answer. */
  message: string;
}

/**
 * Makes the very call that a device would, with the key that is shown, for whoever has no terminal. It goes to where this page came
 * from, as the page may ask nothing else. Only for what is in test: nobody is alerted because somebody tries.
 */
export function CallFromHere({ of, secret }: { of: Alarm; secret: string }) {
  const say = wordsOf('start').call;
  const [came, keep] = useState<Came | 'asking' | null>(null);
  if (of.test !== true) return null;

  async function call() {
    keep('asking');
    keep(await asDevice(of.id, secret));
  }

  return (
    <>
      <div class="do">
        <button type="button" class="button quiet" disabled={came === 'asking'} onClick={() => void call()}>
          {say.fromHere}
        </button>
      </div>
      <p class="soft small">{say.fromHereText}</p>
      <div class="answer" role="status">
        {came !== null && came !== 'asking' && <p>{saidOf(came)}</p>}
      </div>
    </>
  );
}

async function asDevice(id: string, secret: string): Promise<Came> {
  try {
    const answer = await fetch(triggerUrl({ kind: 'alarm', id, base: pageAddress() }), {
      headers: { 'X-API-Key': secret },
      // The session is not the device's.
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(CALL_MS),
    });
    const { message } = (await answer.json()) as { message: string | null };
    return { status: answer.status, message: message ?? '' };
  } catch {
    return { status: 0, message: '' };
  }
}

function saidOf({ status, message }: Came): string {
  const say = wordsOf('start').call;
  if (status === 0) return say.noAnswer;
  return status === 202 ? say.accepted : say.refused(status, message);
}
