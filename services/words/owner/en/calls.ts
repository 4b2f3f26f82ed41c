import type { CallSaid, CallWord, CallWords } from '../types.ts';

/**
 * The table of sentences, one for every outcome. Only the owner of the account reads them, so they may tell apart what the one 404 and
 * the one 401 of /v1 never do.
 */
export const calls: Record<CallWord, CallSaid> = {
  accepted: say(
    'The call is stored and waiting to be applied.',
    'Check again in a moment; if it still waits after a minute, check the log of the service.',
  ),
  armed: say('The alarm was armed in the mode that the call names.'),
  disarmed: call => {
    const cancelled = call.pending === 'touched' ? ', and the trigger in its false-alarm window was cancelled' : '';
    const closed = call.incident === null ? '' : ', and the open incident was closed';
    return say(`The alarm was disarmed${cancelled}${closed}.`);
  },
  pending: say(
    'The trigger waits in its false-alarm window, and nobody has been alerted yet.',
    'Disarm before the window ends to cancel it; otherwise the incident opens.',
  ),
  opened: ({ incident, by, kind }) => {
    if (incident?.outcome === 'nobody_to_alert') {
      return say(
        'The trigger opened an incident, but there was nobody to alert: no policy is bound, or the policy names nobody.',
        'Bind a policy that names at least one contact with a channel.',
      );
    }
    if (incident?.outcome === 'nobody_reached') {
      return say(
        'The trigger opened an incident, but nobody was alerted: its messages failed, had no carrier or could not be scheduled.',
        'Contact these people yourself, find out from the timeline of the incident what went wrong, then fix and rehearse it.',
      );
    }
    if (incident?.outcome === 'exhausted') {
      return say(
        'The trigger opened an incident and the people in its policy were alerted, but nobody responded.',
        'Acknowledge or close the incident, and add rounds or people to the policy.',
      );
    }
    if (incident?.environment === 'test' && by === 'person') {
      return say(
        'The rehearsal opened a test incident that records who would have been alerted, and nobody was alerted.',
      );
    }
    if (incident?.environment === 'test') {
      return say(
        `The ${kind === 'panic_button' ? 'panic button' : 'alarm'} is in test: the trigger opened an incident that records who would have been alerted, and nobody was alerted.`,
        'To be alerted by the next trigger, switch test off there and at its location.',
      );
    }
    return say('The trigger opened an incident, and the people in its policy are alerted in order.');
  },
  cancelled: say('The trigger was cancelled in its false-alarm window: no incident opened and nobody was alerted.'),
  folded: ({ incident }) =>
    incident === null
      ? say(
          'The trigger joined one that was already waiting in its false-alarm window, and nobody has been alerted yet.',
          'Disarm before the window ends to cancel both.',
        )
      : incident.outcome === 'nobody_reached'
        ? say(
            'The trigger joined the incident that was already open: it was counted, and nobody has been alerted so far.',
            'Contact these people yourself, and find out from the timeline of the incident what went wrong.',
          )
        : say(
            'The trigger joined the incident that was already open: it was counted, and nobody was alerted again.',
            'To be alerted by the next trigger, clear or close the incident.',
          ),
  closed: ({ verb }) =>
    verb === 'close'
      ? say('A person closed the incident, and unsent messages were cancelled.')
      : say('The clear closed the open incident, and unsent messages were cancelled.'),
  nothing_open: say('There was no open incident to clear; a trigger that waits in its window stays.'),
  held_by_gate: ({ answer }) =>
    say(
      answer === 'refused'
        ? 'The trigger was refused (404): the alarm only fires when armed, and it was disarmed.'
        : 'The trigger was held back: the alarm only fires when armed, and a disarm in flight with it came first.',
      'Arm the alarm first, or switch off "only trigger when armed".',
    ),
  source_disabled: ({ answer }) =>
    say(
      answer === 'refused'
        ? 'The call was refused (404): the alarm or panic button is disabled, or the plan does not cover it.'
        : 'The trigger had no effect: the alarm or panic button was disabled before it was applied.',
      'Enable it, or check the plan of the account.',
    ),
  mode_missing: say(
    'The call was refused (404): the alarm does not have the mode that the call names or needs.',
    'Add the mode to the alarm, or name one that it has; a bare trigger of a disarmed alarm needs away.',
  ),
  unknown_mode: say(
    'The call was refused (404): the word after the verb is not one of the four modes.',
    'Use home, away, night or vacation in lower case, or leave the mode out.',
  ),
  not_found: say(
    'The call was refused (404): this key reaches no alarm or panic button with the id in the path.',
    'Copy the id from describe, and check that the path says alarm or panic and which alarm the key is for.',
  ),
  unknown_path: say(
    'The call was refused (404): this path does not exist below /v1.',
    'Compare the path with the arming guide, letter by letter: look for an unknown verb or a word too many.',
  ),
  wrong_method: say(
    'The call was refused (405): only GET is allowed, and nothing was done.',
    'Send the same call as GET.',
  ),
  limited: ({ times }) =>
    say(
      `${times === 1 ? 'The call was' : `${times} calls were`} refused (429) and not done: this key or its account made too many calls.`,
      'Find the device that calls so often, or give each device a key of its own.',
    ),
  shed: ({ times }) =>
    say(
      `${times === 1 ? 'The call was' : `${times} calls were`} refused (503) and not done: more calls came at once than the server takes.`,
      'Check whether the device sent it again, and tell the operator of this Tocsin server.',
    ),
  key_unknown: say(
    'The call was refused (401): no API key has this secret.',
    'Check the X-API-Key header, or create a new key.',
  ),
  key_revoked: say(
    'The call was refused (401): its API key is revoked.',
    'Give the caller a new key; if you do not know the caller, the old key is in the wrong hands and rightly revoked.',
  ),
  key_expired: say(
    'The call was refused (401): its API key has expired, or the old secret of a rotated key has ended.',
    'Give the caller the current secret, or create a new key.',
  ),
  acknowledged: say('The incident was acknowledged: its escalation stopped, and it stays open until it is closed.'),
  already_acknowledged: say('Somebody had already acknowledged the incident; nothing changed.'),
  already_closed: say('The incident was already closed; nothing changed.'),
  failed: say(
    'The call was accepted, but could not be applied for ten minutes: it was given up, and its owner was told.',
    'Send it again; if that fails too, check the log of the service.',
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

function say(explanation: string, advice = ''): CallWords {
  return { explanation, advice };
}
