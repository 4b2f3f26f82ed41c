import type { GetReadinessResponse, SourceReadiness } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import type { Incident, TimelineEntry } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Icon, type IconName } from '../../design/icon.tsx';
import { words } from '../words.ts';
import { Time } from './time.tsx';

/** The most urgent of the open incidents with its timeline. */
export interface Foremost {
  incident: Incident;
  timeline: readonly TimelineEntry[];
}

/** Says in one sentence whether everything is all right, and in another what comes next. */
export function Verdict(props: {
  open: readonly Incident[];
  foremost: Foremost | null;
  readiness: GetReadinessResponse;
}) {
  const first = props.foremost?.incident ?? props.open[0];
  const { tone, icon, title, text } = first === undefined ? quiet(props.readiness) : loud(first);
  return (
    <section class={`verdict ${tone}`} aria-live="polite">
      <span class="mark">
        <Icon name={icon} />
      </span>
      <div>
        <h1 dir="auto">{title}</h1>
        {first !== undefined && <Next incident={first} timeline={props.foremost?.timeline ?? null} />}
        {props.open.length > 1 && <p>{words().verdict.others(props.open.length - 1)}</p>}
        {text !== '' && <p>{text}</p>}
      </div>
    </section>
  );
}

interface Said {
  tone: 'live' | 'test' | 'warn' | 'good' | 'off';
  icon: IconName;
  title: string;
  text: string;
}

function loud({ environment, sourceName, acknowledgedAt, acknowledgedBy, outcome }: Incident): Said {
  const say = words().verdict;
  if (environment !== 'live') return { tone: 'test', icon: 'test', title: say.test(sourceName), text: '' };
  if (acknowledgedAt !== undefined) {
    return { tone: 'live', icon: 'bell', title: say.taken(sourceName, acknowledgedBy), text: '' };
  }
  const title = outcome === 'alerting' ? say.waiting(sourceName) : say.unreached(sourceName);
  return { tone: 'live', icon: 'bell', title, text: '' };
}

function quiet({ total, ready, sources }: GetReadinessResponse): Said {
  const { nothing, well, inTest, inTheWay } = words().verdict;
  if (total === 0) return { tone: 'off', icon: 'bell', ...nothing };
  const notReady = sources.filter(({ verdict }) => verdict === 'blocks');
  if (notReady.length > 0 && notReady.every(isOnlyInTest)) {
    const title = notReady.length === 1 ? inTest.one(notReady[0]!.name) : inTest.many(notReady.length, total);
    return { tone: 'test', icon: 'test', title, text: inTest.text };
  }
  if (ready < total) {
    return { tone: 'warn', icon: 'incidents', title: inTheWay.title(total - ready, total), text: inTheWay.text };
  }
  return { tone: 'good', icon: 'check', title: well.title, text: well.text(ready) };
}

/** Tells whether a source would alert somebody if it were live. */
function isOnlyInTest({ findings }: SourceReadiness): boolean {
  return findings.every(({ severity, code }) => severity !== 'blocks' || code === 'in_test');
}

/** Says who is told next: what one wants to know before going back to sleep. */
function Next({ incident, timeline }: { incident: Incident; timeline: Foremost['timeline'] | null }) {
  if (incident.acknowledgedAt !== undefined || incident.environment !== 'live') return null;
  // Its line is there from the first moment: a button must not move under a thumb.
  if (timeline === null) return <p>…</p>;
  const next = timeline.find(({ state, entry }) => state === 'scheduled' && entry.case === 'delivery');
  if (next?.entry.case !== 'delivery') return <p>{words().verdict.last}</p>;
  return (
    <p dir="auto">
      {words().verdict.next(next.entry.value.contactName)}
      <Time at={next.at} />.
    </p>
  );
}
