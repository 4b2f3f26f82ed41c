import type { GetTonightResponse } from '../../../../gen/tocsin/console/v1/tonight_pb.ts';
import type { Incident, TimelineEntry } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Icon, type IconName } from '../../design/icon.tsx';
import { words } from '../words.ts';
import { Time } from './time.tsx';

/** The most urgent of the open incidents with its timeline. */
export interface Foremost {
  incident: Incident;
  timeline: readonly TimelineEntry[];
}

/** Says in one sentence what is open, or else how tonight would go, and in another what comes next. */
export function Verdict(props: { open: readonly Incident[]; foremost: Foremost | null; tonight: GetTonightResponse }) {
  const read = props.foremost?.incident ?? props.open[0];
  // It may have closed since the others were read.
  const first = read?.standing === 'closed' ? undefined : read;
  const { tone, icon, title, text } = first === undefined ? quiet(props.tonight) : loud(first);
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

function loud(incident: Incident): Said {
  const say = words().verdict;
  const { sourceName, acknowledgedBy } = incident;
  const standing = incident.standing || standingBefore(incident);
  if (standing === 'test') return { tone: 'test', icon: 'test', title: say.test(sourceName), text: '' };
  return { tone: 'live', icon: 'bell', title: titleOf(), text: '' };

  function titleOf(): string {
    if (standing === 'taken') return say.taken(sourceName, acknowledgedBy);
    const nobody = say.nobody[standing];
    return nobody === undefined ? say.waiting(sourceName) : nobody(sourceName);
  }
}

/** How it stands by what services of the version before say. */
function standingBefore({ environment, acknowledgedAt }: Incident): string {
  if (environment !== 'live') return 'test';
  return acknowledgedAt === undefined ? '' : 'taken';
}

const QUIET: Readonly<Record<string, Pick<Said, 'tone' | 'icon'>>> = {
  nothing: { tone: 'off', icon: 'bell' },
  in_test: { tone: 'test', icon: 'test' },
  blocked: { tone: 'warn', icon: 'incidents' },
  doubtful: { tone: 'warn', icon: 'incidents' },
  fine: { tone: 'good', icon: 'check' },
};

function quiet({ verdict, title, text }: GetTonightResponse): Said {
  return { ...(QUIET[verdict] ?? QUIET.doubtful!), title, text };
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
