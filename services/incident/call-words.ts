import type { CallVerb, Outcome } from '../domain/action.ts';
import type { Incident } from '../domain/incident.ts';
import type { Environment, PathRefusal, SourceKind, Verdict } from '../domain/source.ts';

/** Every word that can stand as the outcome of a call: `accepted` while it waits, else what it came to or why it was refused. */
export type CallWord = Outcome | Verdict | PathRefusal;

/** What is known about a call when it is explained. */
export interface ExplainedCall {
  verb: CallVerb;
  outcome: CallWord;
  by: 'machine' | 'person';
  /** What it names. An alarm where that is not known. */
  kind: SourceKind;
  /** Refused before it was stored (401, 404 or 405), or taken (202). */
  answer: 'refused' | 'taken';
  /** Whether a trigger that waited in its window was touched: cancelled, joined or begun. */
  pending: 'touched' | 'untouched';
  /** The incident that it opened, joined, took or closed. Null: none. */
  incident: { environment: Environment; outcome: Incident['outcome'] } | null;
}

/** One sentence on what became of a call, and one on what to do about it; empty where there is nothing to do. */
export interface CallWords {
  explanation: string;
  advice: string;
}

/** What a person is told: one text, or one that depends on the call. */
type Said = CallWords | ((call: ExplainedCall) => CallWords);

/**
 * The table of sentences, one for every outcome (DECISIONS.md "Outcome of each call"). Only the owner of the account reads
 * them, so they may tell apart what the one 404 and the one 401 of /v1 never do.
 */
export const CALL_WORDS: Record<CallWord, Said> = {
  accepted: say(
    'The call is stored and waits to be applied.',
    'Ask again in a moment; if it still waits after a minute, look at the log of the service.',
  ),
  armed: say('The alarm was armed in the mode that the call names.'),
  disarmed: call => {
    const cancelled = call.pending === 'touched' ? ', and the trigger in its false-alarm window was cancelled' : '';
    const closed = call.incident === null ? '' : ', and the open incident was closed';
    return say(`The alarm was disarmed${cancelled}${closed}.`);
  },
  pending: say(
    'The trigger waits in its false-alarm window and nobody was alerted yet.',
    'Disarm before the window ends to call it off; else the incident opens by itself.',
  ),
  opened: ({ incident, by, kind }) => {
    if (incident?.outcome === 'nobody_to_alert') {
      return say(
        'The trigger opened an incident, and there was nobody to alert: no policy is bound, or the policy names nobody.',
        'Bind a policy that names at least one contact with a channel.',
      );
    }
    if (incident?.outcome === 'nobody_reached') {
      return say(
        'The trigger opened an incident, and nobody was alerted: its messages failed, had no carrier or could not be planned.',
        'Reach these people yourself, look at the timeline of the incident for what stood in the way, then correct it and rehearse it.',
      );
    }
    if (incident?.outcome === 'exhausted') {
      return say(
        'The trigger opened an incident, the people of its policy were alerted, and nobody answered.',
        'Take or close the incident, and let the policy repeat its steps or tell more people.',
      );
    }
    if (incident?.environment === 'test' && by === 'person') {
      return say('The rehearsal opened a test incident that records who would have been told, and nobody was alerted.');
    }
    if (incident?.environment === 'test') {
      return say(
        `The ${kind === 'panic' ? 'panic button' : 'alarm'} is in test: the trigger opened an incident that records who would have been told, and nobody was alerted.`,
        'Switch the test off, there and at its location, for the next trigger to alert.',
      );
    }
    return say('The trigger opened an incident, and the people of its policy are alerted in the order it states.');
  },
  cancelled: say(
    'The trigger was called off inside its false-alarm window: no incident opened and nobody was alerted.',
  ),
  folded: ({ incident }) =>
    incident === null
      ? say(
          'The trigger joined one that already waits in its false-alarm window, and nobody was alerted yet.',
          'Disarm before the window ends to call both off.',
        )
      : incident.outcome === 'nobody_reached'
        ? say(
            'The trigger joined the incident that was open already: it was counted, and nobody was alerted so far.',
            'Reach these people yourself, and look at the timeline of the incident for what stood in the way.',
          )
        : say(
            'The trigger joined the incident that was open already: it was counted, and nobody was alerted again.',
            'Clear or close the incident for the next trigger to alert again.',
          ),
  closed: ({ verb }) =>
    verb === 'close'
      ? say('The incident was closed by a person, and what was not sent was cancelled.')
      : say('The clear closed the open incident, and what was not sent was cancelled.'),
  nothing_open: say('Nothing was open that the clear could close; a trigger that waits in its window stays.'),
  held_by_gate: ({ answer }) =>
    say(
      answer === 'refused'
        ? 'The trigger was refused (404): the alarm only fires when armed, and it was disarmed.'
        : 'The trigger was held back: the alarm only fires when armed, and a disarm in flight with it came first.',
      'Arm the alarm first, or switch "only trigger when armed" off.',
    ),
  source_disabled: ({ answer }) =>
    say(
      answer === 'refused'
        ? 'The call was refused (404): the alarm or panic button is disabled, or the plan does not cover it.'
        : 'The trigger came to nothing: the alarm or panic button was disabled before it was applied.',
      'Enable it, or check the plan of the account.',
    ),
  mode_missing: say(
    'The call was refused (404): the alarm does not have the mode that the call names or needs.',
    'Add the mode to the alarm, or name one that it has; a bare trigger of a disarmed alarm needs away.',
  ),
  unknown_mode: say(
    'The call was refused (404): the word after the verb is none of the four modes.',
    'Use home, away, night or vacation in lower case, or leave the mode out.',
  ),
  not_found: say(
    'The call was refused (404): this key reaches no alarm or panic button with the id in the path.',
    'Copy the id from describe, and check that the path says alarm or panic and which alarm the key is for.',
  ),
  unknown_path: say(
    'The call was refused (404): there is no such path below /v1.',
    'Compare the path with the arming guide, letter by letter: it may name a verb that there is not, or a word too many.',
  ),
  wrong_method: say(
    'The call was refused (405): only GET is answered, and nothing was done.',
    'Send the same call as a GET.',
  ),
  key_unknown: say(
    'The call was refused (401): there is no API key with this secret.',
    'Check the X-API-Key header, or create a new key.',
  ),
  key_revoked: say(
    'The call was refused (401): its API key is revoked.',
    'Give the caller a new key; if you do not know the caller, the old key is in wrong hands and rightly revoked.',
  ),
  key_expired: say(
    'The call was refused (401): its API key has expired, or the old secret of a rotated key has ended.',
    'Give the caller the current secret, or create a new key.',
  ),
  acknowledged: say('The incident was taken: its escalation stopped, and it stays open until it is closed.'),
  already_acknowledged: say('Somebody else had taken the incident before; nothing changed.'),
  already_closed: say('The incident was closed already; nothing changed.'),
  failed: say(
    'The call was accepted and could not be applied for ten minutes: it was given up, and its owner was told.',
    'Send it again; if that fails too, look at the log of the service.',
  ),
  went_live: call => {
    const closed = call.incident === null ? '' : ', and its open test incident was closed';
    const cancelled = call.pending === 'touched' ? ', and its waiting test trigger was cancelled' : '';
    return say(`The alarm or panic button was switched from test to live${closed}${cancelled}.`);
  },
  disabled: call => {
    const closed = call.incident === null ? '' : ', and its open incident was closed';
    const cancelled = call.pending === 'touched' ? ', and its waiting trigger was cancelled' : '';
    return say(`The alarm or panic button was disabled${closed}${cancelled}.`);
  },
};

/** Whether a word from outside can be the outcome of a call. */
export function isCallWord(word: string): word is CallWord {
  return Object.hasOwn(CALL_WORDS, word);
}

/** What became of a call and what to do about it, in sentences for the owner of the account. */
export function explainCall(call: ExplainedCall): CallWords {
  const said = CALL_WORDS[call.outcome];
  return typeof said === 'function' ? said(call) : said;
}

function say(explanation: string, advice = ''): CallWords {
  return { explanation, advice };
}
