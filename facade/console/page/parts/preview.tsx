import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { PreviewedDelivery, PreviewResponse } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import { Chip } from '../../design/parts.tsx';
import { words, wordsOf } from '../words.ts';
import { spanOf } from './span.ts';
import { dayAndClockIn, zones } from './time.tsx';

/** How many moments of an escalation are shown before the rest folds away. */
const SHOWN = 12;

/** Shows who would be told by a trigger now, when and how, as a time line. Its screen is fetched with the words of `preview`. */
export function PreviewLine({ of }: { of: PreviewResponse }) {
  const say = wordsOf('preview');
  const moments = [...Map.groupBy(of.deliveries, ({ afterS }) => afterS)];
  return (
    <div class="preview">
      <p dir="auto">{say.verdicts[of.verdict]?.(of.policyName) ?? of.verdict}</p>
      {of.environment === 'test' && moments.length > 0 && <p class="soft">{say.inTest}</p>}
      {moments.length > 0 && (
        <ol class="timeline">
          {of.windowS > 0 && (
            <li class="planned">
              <span class="when">{say.atOnce}</span>
              <span class="said">{say.window(spanOf(of.windowS))}</span>
            </li>
          )}
          {moments.slice(0, SHOWN).map(([afterS, deliveries]) => (
            <Moment key={afterS} afterS={afterS} deliveries={deliveries} />
          ))}
          {moments.length <= SHOWN && (
            <li class="planned">
              <span class="when">{spanOf(of.escalationEndsS)}</span>
              <span class="said">{say.ends}</span>
            </li>
          )}
        </ol>
      )}
      {moments.length > SHOWN && (
        <p class="soft small">{say.more(moments.length - SHOWN, spanOf(of.escalationEndsS))}</p>
      )}
      {moments.length === 0 && NOBODY.has(of.verdict) && <p class="notice">{say.nobody}</p>}
      {of.failing.map(({ channel, since, problem }) => (
        <p key={channel} class="notice">
          {say.failing(
            words().incident.channels[channel] ?? channel,
            dayAndClockIn(timestampDate(since!), zones().account),
            problem,
          )}
        </p>
      ))}
      {of.leftOut > 0 && <p class="notice">{say.leftOut(of.leftOut)}</p>}
    </div>
  );
}

/** The outcomes for which no deliveries means that nobody would be told. */
const NOBODY: ReadonlySet<string> = new Set(['fires', 'held_by_gate']);

/** Shows everything that goes out at one moment, by person. */
function Moment({ afterS, deliveries }: { afterS: number; deliveries: readonly PreviewedDelivery[] }) {
  const say = wordsOf('preview');
  const people = [...Map.groupBy(deliveries, ({ contactId }) => contactId)];
  const goesOut = deliveries.some(({ outcome }) => GOES_OUT.has(outcome));
  return (
    <li class={goesOut ? 'done' : 'bad'}>
      <span class="when">{afterS === 0 ? say.atOnce : spanOf(afterS)}</span>
      <ul class="said">
        {people.map(([id, theirs]) => (
          <li key={id}>
            <b dir="auto">{theirs[0]!.contactName}</b>{' '}
            {theirs.map((delivery, index) => (
              <Way key={`${index} ${delivery.channel}`} of={delivery} />
            ))}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** In test nothing goes out, by design. */
const GOES_OUT: ReadonlySet<string> = new Set(['sent', 'suppressed']);

function Way({ of: { channel, outcome, insteadOf } }: { of: PreviewedDelivery }) {
  const nameOf = (channel: string) => words().incident.channels[channel] ?? channel;
  const own = nameOf(channel);
  const name = insteadOf === '' ? own : wordsOf('preview').insteadOf(own, nameOf(insteadOf));
  if (GOES_OUT.has(outcome)) return <span class="way">{name}</span>;
  return (
    <Chip tone="warn">
      {name}: {wordsOf('preview').outcomes[outcome] ?? outcome}
    </Chip>
  );
}
