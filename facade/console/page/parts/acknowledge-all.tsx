import { useState } from 'preact/hooks';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Confirm } from '../../design/parts.tsx';
import { inBatches } from '../forms/in-batches.ts';
import { readAgain } from '../live/live.ts';
import { titleOf } from '../live/open-incidents.ts';
import { faultOf, incidents } from '../rpc/rpc.ts';
import { words, wordsOf } from '../words.ts';

/** How many of those that failed are named. */
const NAMED = 5;

/** Acknowledges all incidents of a place after one question. One that fails stops no other, and is named; asked again, those are tried that are left. */
export function AcknowledgeAll({ of, at }: { of: readonly Incident[]; at: string }) {
  const say = wordsOf('storm');
  /** What was asked about: what comes while the question stands was not seen by whoever answers it. */
  const [asked, ask] = useState<readonly Incident[] | null>(null);
  const [working, setWorking] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);

  async function acknowledge(these: readonly Incident[]) {
    setWorking(true);
    setWrong(null);
    const failed = new Map<Incident, string>();
    await inBatches(these, async one => {
      try {
        await incidents.acknowledge({ incidentId: one.id });
      } catch (fault) {
        failed.set(one, faultOf(fault).message);
      }
    });
    const left = these.filter(one => failed.has(one));
    ask(left.length === 0 ? null : left);
    if (left.length > 0) setWrong(say.failed(these.length, namesOf(left), [...new Set(failed.values())].join(' ')));
    setWorking(false);
    readAgain();
  }

  return (
    <>
      <button
        type="button"
        class="button acknowledge"
        aria-label={`${say.acknowledge(of.length)}: ${at}`}
        onClick={() => ask(of)}
      >
        {say.acknowledge(of.length)}
      </button>
      {asked !== null && (
        <Confirm
          title={say.confirm(asked.length, at)}
          text={words().incident.acknowledgeText}
          yes={words().incident.acknowledge}
          no={words().cancel}
          tone="plain"
          wrong={wrong}
          working={working}
          onYes={() => void acknowledge(asked)}
          onNo={() => {
            ask(null);
            setWrong(null);
          }}
        >
          <p class="clamped" dir="auto">
            {namesOf(asked)}
          </p>
        </Confirm>
      )}
    </>
  );
}

function namesOf(of: readonly Incident[]): string {
  const names = of.slice(0, NAMED).map(titleOf).join(', ');
  return of.length > NAMED ? `${names}${wordsOf('tonight').more(of.length - NAMED)}` : names;
}
