import { useRef, useState } from 'preact/hooks';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Confirm } from '../../design/parts.tsx';
import { inBatches } from '../forms/in-batches.ts';
import { readAgain } from '../live/live.ts';
import { titleOf } from '../live/open-incidents.ts';
import { faultOf, incidents } from '../rpc/rpc.ts';
import { words } from '../words.ts';

/** How many of those that failed are named. */
const NAMED = 5;

/** The question that stands. What comes while it stands was not seen by whoever answers it, and is not in it. */
export interface Asked {
  /** The name of the place. */
  at: string;
  of: readonly Incident[];
  /** The places by id, as they are shown while it stands: none moves under a thumb. */
  order: readonly string[];
}

/** Asks once, then acknowledges all incidents of a place. One that fails stops no other, and is named; asked again, those are tried that are left. */
export function AcknowledgeAll({ asked: { at, of }, onEnd }: { asked: Asked; onEnd(): void }) {
  const say = words().storm;
  const [left, leave] = useState(of);
  const [working, setWorking] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const cancelled = useRef(false);

  async function acknowledge() {
    setWorking(true);
    setWrong(null);
    const failed = new Map<Incident, string>();
    await inBatches(left, async one => {
      if (cancelled.current) return;
      try {
        await incidents.acknowledge({ incidentId: one.id });
      } catch (fault) {
        failed.set(one, faultOf(fault).message);
      }
    });
    readAgain();
    if (cancelled.current) return;
    if (failed.size === 0) return onEnd();
    const still = left.filter(one => failed.has(one));
    leave(still);
    setWrong(say.failed(left.length, namesOf(still), [...new Set(failed.values())].join(' ')));
    setWorking(false);
  }

  return (
    <Confirm
      title={say.confirm(left.length, at)}
      text={words().incident.acknowledgeText}
      yes={words().incident.acknowledge}
      no={words().cancel}
      tone="plain"
      wrong={wrong}
      working={working}
      onYes={() => void acknowledge()}
      onNo={() => {
        cancelled.current = true;
        onEnd();
      }}
    >
      <p class="clamped" dir="auto">
        {namesOf(left)}
      </p>
    </Confirm>
  );
}

function namesOf(of: readonly Incident[]): string {
  const names = of.slice(0, NAMED).map(titleOf).join(', ');
  return of.length > NAMED ? `${names}${words().tonight.more(of.length - NAMED)}` : names;
}
