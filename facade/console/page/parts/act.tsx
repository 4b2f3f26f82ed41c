import { useState } from 'preact/hooks';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Confirm } from '../../design/parts.tsx';
import { inBatches } from '../forms/in-batches.ts';
import { readAgain } from '../live/live.ts';
import { titleOf } from '../live/open-incidents.ts';
import { may } from '../rpc/permissions.ts';
import { faultOf, incidents } from '../rpc/rpc.ts';
import { words } from '../words.ts';
import { lazyScreen } from './lazy-screen.tsx';

/** Asks what an incident was. Loaded when somebody closes one, or looks at a closed one. */
export const Disposition = lazyScreen(async () => (await import('../areas/asked.ts')).Disposition, 'rest', 'nothing');

/** Shows the buttons that acknowledge and close incidents, each after one question. `onDone`: called once all are done. */
export function Actions(props: { of: readonly Incident[]; onDone?(): void }) {
  const [asking, ask] = useState<'acknowledge' | 'close' | null>(null);
  const [working, setWorking] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const [disposition, dispose] = useState('');
  const [asksWhat, setAsksWhat] = useState(false);
  const open = props.of.filter(({ status }) => status === 'open');
  const untaken = open.filter(({ acknowledgedAt }) => acknowledgedAt === undefined);
  if (open.length === 0 || !may('act')) return null;
  const say = words().incident;

  /** A question that grows while somebody taps it takes the tap for something else: what is not there in a moment is not asked. */
  async function askToClose() {
    const moment = new Promise<'late'>(resolve => setTimeout(() => resolve('late'), 1_000));
    setAsksWhat((await Promise.race([Disposition.fetchIt(), moment])) === 'there');
    ask('close');
  }

  async function act(verb: 'acknowledge' | 'close') {
    setWorking(true);
    setWrong(null);
    try {
      const acts = {
        acknowledge: (incidentId: string) => incidents.acknowledge({ incidentId }),
        close: (incidentId: string) => incidents.close({ incidentId, disposition }),
      };
      await inBatches(verb === 'acknowledge' ? untaken : open, ({ id }) => acts[verb](id));
      ask(null);
      props.onDone?.();
    } catch (fault) {
      setWrong(say.notDone(faultOf(fault).message));
    } finally {
      setWorking(false);
      readAgain();
    }
  }

  const asked = asking === 'acknowledge' ? untaken : open;
  const what = asked.length === 1 ? titleOf(asked[0]!) : say.some(asked.length);
  const confirm = asking === 'acknowledge' ? say.confirmAcknowledge(what) : say.confirmClose(what);
  return (
    <>
      {untaken.length > 0 && (
        <button type="button" class="button acknowledge" onClick={() => ask('acknowledge')}>
          {say.acknowledge}
        </button>
      )}
      <button
        type="button"
        class={`button close ${untaken.length > 0 ? 'quiet' : ''}`}
        onClick={() => void askToClose()}
      >
        {say.close}
      </button>
      {asking !== null && (
        <Confirm
          title={confirm}
          text={asking === 'acknowledge' ? say.acknowledgeText : say.closeText}
          yes={say[asking]}
          no={words().cancel}
          tone={asking === 'close' ? 'live' : 'plain'}
          wrong={wrong}
          working={working}
          onYes={() => void act(asking)}
          onNo={() => {
            ask(null);
            setWrong(null);
          }}
        >
          {asking === 'close' && asksWhat && open.every(({ environment }) => environment === 'live') && (
            <Disposition of={disposition} onChoose={dispose} />
          )}
        </Confirm>
      )}
    </>
  );
}
