import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PanicButton } from '../../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import type { Call } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Dialog } from '../../design/dialog.tsx';
import { readAgain } from '../live/live.ts';
import { useQuery } from '../live/use-query.ts';
import { faultOf, incidents, mayHaveLeft, panicButtons, READ } from '../rpc/rpc.ts';
import { session, whoLooks } from '../rpc/session.ts';
import { addressOf } from '../way/router.ts';
import { language, words } from '../words.ts';

/** How long an answer may take, in milliseconds: the services tell within 5 s what came of it. */
const ANSWER_MS = 8_000;

/** `no_line`: no try has left this device. */
type Came =
  | { is: 'sending' | 'no_line' }
  | { is: 'no_answer'; why: string }
  | { is: 'refused'; why: string }
  | { is: 'answered'; call: Call };

/**
 * Sends a press, and says what came of it. Nothing is kept to be sent later: whoever is not told now would be told of something that
 * is over. Sent again, it is the same press.
 */
export function Pressed(on: { of: PanicButton; pressId: string; emergency: string; onClose(): void }) {
  const { of, pressId } = on;
  const say = words().press;
  const [came, keep] = useState<Came>({ is: 'sending' });
  const told = useRef<HTMLDivElement>(null);
  /** Whether a try has left that nobody answered: from then on nobody knows whether somebody is told, whatever comes of the next. */
  const hasLeft = useRef(false);

  async function send() {
    keep({ is: 'sending' });
    // Browsers err about the line: it is always tried.
    const wasOnLine = navigator.onLine;
    try {
      const asked = { panicButtonId: of.id, pressId };
      const { call } = await panicButtons.triggerPanicButton(asked, { timeoutMs: ANSWER_MS });
      keep({ is: 'answered', call: call! });
      readAgain();
    } catch (fault) {
      const { kind, message } = faultOf(fault);
      const isLost = kind === 'away';
      hasLeft.current ||= isLost && (wasOnLine || navigator.onLine || mayHaveLeft(fault));
      // A refusal of this try tells nothing of those before it.
      if (hasLeft.current) keep({ is: 'no_answer', why: kind === 'signed_out' || kind === 'busy' ? message : '' });
      else keep(isLost ? { is: 'no_line' } : { is: 'refused', why: message });
    }
  }

  useEffect(() => void send(), []);
  const [by] = useState(whoLooks);
  const now = whoLooks();
  const isOut = session.value.is === 'signed_out';
  // It tells what only they may see, and sends for nobody else. Whoever is signed out learns what became of an unanswered press.
  const isOver = (now !== '' && now !== by) || (isOut && came.is === 'answered');
  useEffect(() => {
    if (isOver) on.onClose();
  }, [isOver]);
  // The key that was held is still down: it must press nothing here.
  useLayoutEffect(() => told.current?.focus(), []);
  const call = came.is === 'answered' ? came.call : null;
  const isTest = call !== null && tellsNobody(call);
  return (
    <Dialog title={titleOf(came, of.name)} onClose={on.onClose}>
      <div ref={told} tabIndex={-1} class="stack pressed" role="alert">
        {came.is === 'no_line' && <p>{say.noLineText}</p>}
        {came.is === 'no_answer' && <p>{say.noAnswerText}</p>}
        {(came.is === 'no_answer' || came.is === 'refused') && came.why !== '' && <p dir="auto">{came.why}</p>}
        {call !== null && <p dir="auto">{call.explanation}</p>}
        {call !== null && call.incidentId !== '' && <Told of={call} />}
        {!isTest && <p>{on.emergency === '' ? say.help : say.helpThere}</p>}
      </div>
      <div class="choices">
        {on.emergency !== '' && !isTest && (
          <a class="button live" href={`tel:${on.emergency}`} dir="auto">
            {words().incident.dial(on.emergency)}
          </a>
        )}
        {(came.is === 'no_line' || came.is === 'no_answer') && (
          <button type="button" class="button" onClick={() => void send()}>
            {say.sendAgain}
          </button>
        )}
        {call !== null && call.incidentId !== '' && (
          <a class="button" href={addressOf(`incidents/${call.incidentId}`)} data-screen onClick={on.onClose}>
            {say.itsIncident}
          </a>
        )}
        <button type="button" class="button quiet" onClick={on.onClose}>
          {say.close}
        </button>
      </div>
    </Dialog>
  );
}

function titleOf(came: Came, name: string): string {
  const say = words().press;
  if (came.is === 'sending') return say.sending(name);
  if (came.is === 'no_line') return say.noLine;
  if (came.is === 'no_answer') return say.noAnswer;
  if (came.is !== 'answered') return say.nothing(name);
  const { outcome } = came.call;
  if (outcome === 'accepted') return say.stored(name);
  if (outcome === 'folded') return say.folded(name);
  if (outcome !== 'opened') return say.nothing(name);
  return tellsNobody(came.call) ? say.inTest(name) : say.triggered(name);
}

/** What has joined another incident tells whomever that one tells, be it live. */
function tellsNobody({ outcome, environment }: Call): boolean {
  return environment === 'test' && outcome !== 'folded';
}

/** What is on its way to somebody, or has arrived. */
const REACH = new Set(['scheduled', 'sending', 'sent', 'delivered']);

/** Who is told of it, and who has it, as that becomes known. */
function Told({ of: { incidentId } }: { of: Call }) {
  const say = words().press;
  const { data } = useQuery(`pressed ${incidentId}`, () => incidents.getIncident({ incidentId }, READ));
  if (data?.incident === undefined || data.incident.environment === 'test') return null;
  const names = data.timeline.flatMap(({ entry }) =>
    entry.case === 'delivery' && REACH.has(entry.value.status) ? [entry.value.contactName] : [],
  );
  const people = new Intl.ListFormat(language.value, { type: 'unit' }).format(new Set(names));
  const { acknowledgedBy } = data.incident;
  return (
    <>
      {people !== '' && <p dir="auto">{say.tells(people)}</p>}
      {acknowledgedBy !== '' && <p dir="auto">{words().incident.acknowledgedBy(acknowledgedBy)}</p>}
    </>
  );
}
