import type { Call } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Chip, type Tone } from '../../design/parts.tsx';
import { addressOf } from '../way/router.ts';
import { words } from '../words.ts';
import { Copy } from './copy.tsx';
import { Time } from './time.tsx';

/** What became of a call, as a colour and a shape. */
const TONES: Readonly<Record<string, Tone>> = {
  opened: 'live',
  folded: 'live',
  held_by_gate: 'warn',
  mode_missing: 'warn',
  unknown_mode: 'warn',
  source_disabled: 'warn',
  not_found: 'warn',
  unknown_path: 'warn',
  wrong_method: 'warn',
  limited: 'warn',
  shed: 'warn',
  key_revoked: 'warn',
  key_expired: 'warn',
  failed: 'warn',
};

/** Shows one call; opened, all that is known of it. */
export function CallRow({ call }: { call: Call }) {
  const say = words();
  const verb = say.verbs[call.verb] ?? call.verb;
  const who = call.actor || (call.silentSince === undefined ? call.keyLabel : say.incident.silent(call.keyLabel));
  const tone = call.environment === 'test' ? 'test' : (TONES[call.outcome] ?? 'off');
  return (
    <li class="call">
      <details>
        <summary>
          <div>
            <span dir="auto">
              {[verb, call.sourceName].filter(part => part !== '').join(' · ') || say.calls.unknown}
            </span>
            <small>
              <Time at={call.at} />
              {who !== '' && <bdi> · {say.calls.by(who)}</bdi>}
            </small>
          </div>
          <Chip tone={tone}>{say.outcomes[call.outcome] ?? call.outcome}</Chip>
        </summary>
        <div class="more">
          <p dir="auto">{call.explanation}</p>
          {call.advice !== '' && (
            <p class="soft" dir="auto">
              {call.advice}
            </p>
          )}
          {call.confirmedAt !== undefined && (
            <p>
              {say.calls.storedAgain} <Time at={call.confirmedAt} />
            </p>
          )}
          <p>
            <code>{call.traceId}</code> <Copy text={call.traceId} of={say.calls.copied} />
          </p>
          {call.incidentId !== '' && (
            <p>
              <a href={addressOf(`incidents/${call.incidentId}`)} data-screen>
                {say.calls.incident}
              </a>
            </p>
          )}
        </div>
      </details>
    </li>
  );
}
