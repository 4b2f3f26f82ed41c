import { useState } from 'preact/hooks';
import type { Delivery, Incident, TimelineEntry } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { nextStepIn } from '../../../recipes/next-step.ts';
import { Refused, useDoing } from '../forms/edit.tsx';
import { readAgain } from '../live/live.ts';
import { may } from '../rpc/permissions.ts';
import { incidents } from '../rpc/rpc.ts';
import { words } from '../words.ts';
import { Disposition } from './act.tsx';
import { lazyScreen } from './lazy-screen.tsx';

/** Loaded when somebody asks. */
const Note = lazyScreen(async () => (await import('../areas/asked.ts')).Note, 'rest', 'nothing');
const HandOver = lazyScreen(async () => (await import('../areas/asked.ts')).HandOver, 'rest', 'nothing');

/**
 * Sends the next step at once, writes a note, hands over (DECISIONS.md "Next now, note, hand over"). What became of it is said
 * where the timeline does not show it.
 */
export function GoingOn({ of, timeline }: { of: Incident; timeline: readonly TimelineEntry[] }) {
  const say = words().incident.goOn;
  const [asking, ask] = useState<'note' | 'hand_over' | null>(null);
  const [said, setSaid] = useState('');
  const doing = useDoing();
  if (!may('act')) return null;
  const isOpen = of.status === 'open';
  const next = isOpen && of.acknowledgedAt === undefined ? nextStepIn<Delivery>(timeline) : null;

  const done = (outcome: string) => {
    setSaid(say.said[outcome] ?? '');
    ask(null);
    readAgain();
  };
  const sendNext = async ({ round, step }: Delivery) => {
    const came = await doing.run(async () =>
      done((await incidents.nextStep({ incidentId: of.id, round, step })).outcome),
    );
    if (came !== 'done') readAgain();
  };

  const dispose = (disposition: string) =>
    doing.run(async () => {
      if (disposition !== '') await incidents.setDisposition({ incidentId: of.id, disposition });
      done('');
    });

  return (
    <section class="going-on">
      {next !== null && (
        <button
          type="button"
          class="button quiet"
          disabled={doing.is === 'working'}
          onClick={() => void sendNext(next)}
        >
          {say.next}
        </button>
      )}
      {isOpen && (
        <button type="button" class="button quiet" onClick={() => ask('hand_over')}>
          {say.handOver}
        </button>
      )}
      <button type="button" class="button quiet" onClick={() => ask('note')}>
        {say.note}
      </button>
      {!isOpen && of.environment === 'live' && <Disposition of={of.disposition} onChoose={dispose} />}
      {said !== '' && <p role="status">{said}</p>}
      <Refused on={doing} />
      {asking === 'note' && <Note of={of} onDone={done} onClose={() => ask(null)} />}
      {asking === 'hand_over' && <HandOver of={of} onDone={done} onClose={() => ask(null)} />}
    </section>
  );
}
