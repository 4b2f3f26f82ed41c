import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { PanicButton } from '../../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import type { GetReadinessResponse } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Chip, Skeleton, type Tone } from '../../design/parts.tsx';
import { Press } from '../press/press.tsx';
import { addressOf } from '../way/router.ts';
import { words } from '../words.ts';
import { nameOfArmed } from './mode-name.ts';
import { saidOfTest } from './said-of-test.ts';
import type { useSources } from './use-sources.ts';

/** Rows of a place that are shown before the rest folds away. */
const ROWS = 8;

/** What the shortcut of the home screen leads to (facade/face.ts). */
const PANIC = 'panic';

/** Shows all sources by location with their states, triggered ones first. */
export function Sources(props: {
  sources: ReturnType<typeof useSources>;
  open: readonly Incident[];
  readiness: GetReadinessResponse;
}) {
  const say = words().home;
  const { open, readiness } = props;
  const { data } = props.sources;
  if (data === null) return <Skeleton label={words().loading} />;
  const firing = new Map(open.toReversed().map(({ sourceId, environment }) => [sourceId, environment]));
  const blocked = new Set(
    readiness.sources.flatMap(({ verdict, sourceId }) => (verdict === 'blocks' ? [sourceId] : [])),
  );
  const unseen = readiness.total - data.alarms.length - data.buttons.length;
  const placed = data.places
    .map(place => ({ place, rows: rowsAt(place, data.alarms, data.buttons, { firing, blocked }) }))
    .filter(({ rows }) => rows.length > 0);
  return (
    <section class="stack">
      <div class="head">
        <h2>{say.sources}</h2>
        {unseen > 0 && (
          <a class="small" href={addressOf('alarms')} data-screen>
            {say.more(unseen)}
          </a>
        )}
      </div>
      <div class="card rows">
        {placed.map(({ place, rows }) => (
          <div key={place.id}>
            <h3 class="place" dir="auto">
              {place.name}
            </h3>
            <ul class="rows">{rows.slice(0, ROWS)}</ul>
            {rows.length > ROWS && (
              <details>
                <summary class="row soft small">{say.more(rows.length - ROWS)}</summary>
                <ul class="rows">{rows.slice(ROWS)}</ul>
              </details>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}

/** What sources are known to be besides what is stored of each. */
interface Known {
  /** In which environment, by source. */
  firing: ReadonlyMap<string, string>;
  /** Something is in the way of their messages, in some mode at least. */
  blocked: ReadonlySet<string>;
}

function rowsAt(place: Location, all: readonly Alarm[], buttons: readonly PanicButton[], known: Known) {
  const inTest = place.test === true;
  const here = [...all, ...buttons].filter(({ locationId }) => locationId === place.id);
  const rows = here.map(of => ({ of, state: stateOf(of, known, inTest) }));
  const order: Tone[] = ['live', 'warn', 'test', 'good', 'off'];
  // Within a tone panic buttons come first: whoever needs one opens no list.
  const rank = ({ of, state }: (typeof rows)[number]) => 2 * order.indexOf(state[0]) + ('responseKind' in of ? 0 : 1);
  rows.sort((one, other) => rank(one) - rank(other));
  const say = words().states;
  const first = buttons.find(({ disabled, deactivated }) => !disabled && !deactivated);
  return rows.map(({ of, state: [tone, label] }) => {
    const more = [
      'responseKind' in of ? say.panic : '',
      tone === 'test'
        ? `${say.tellsNobody}${of.test || inTest ? ` · ${saidOfTest(endOfTest(of, place))}` : ''}`
        : known.blocked.has(of.id)
          ? say.inTheWay
          : '',
    ];
    return (
      <li key={of.id} class="row">
        <div dir="auto">
          <a class="to" href={addressOf(`${'responseKind' in of ? 'panic-buttons' : 'alarms'}/${of.id}`)} data-screen>
            {of.name}
          </a>
          <small>{more.filter(part => part !== '').join(' · ')}</small>
        </div>
        {'responseKind' in of ? (
          <div class="pressable">
            <Chip tone={tone}>{label}</Chip>
            <Press of={of} place={place} id={of === first ? PANIC : undefined} />
          </div>
        ) : (
          <Chip tone={tone}>{label}</Chip>
        )}
      </li>
    );
  });
}

/** When triggers alert people again: the last of both ends; undefined: one has none. */
function endOfTest(of: Alarm | PanicButton, place: Location): Timestamp | undefined {
  const ends = [of, place].filter(({ test }) => test === true).map(({ testUntil }) => testUntil);
  return ends.reduce((one, other) =>
    one === undefined || other === undefined ? undefined : one.seconds > other.seconds ? one : other,
  );
}

function stateOf(of: Alarm | PanicButton, { firing, blocked }: Known, placeInTest: boolean): [Tone, string] {
  const say = words().states;
  if (firing.get(of.id) === 'test') return ['test', say.triggeredInTest];
  if (firing.has(of.id)) return ['live', say.triggered];
  if (of.disabled || of.deactivated) return ['off', say.disabled];
  if (of.test || placeInTest) return ['test', say.inTest];
  const tone = blocked.has(of.id) ? 'warn' : 'good';
  if ('responseKind' in of) return tone === 'warn' ? [tone, say.notReady] : [tone, say.ready];
  if (of.armedMode === 'disarmed') return ['off', say.disarmed];
  return [tone, say.armed(nameOfArmed(of))];
}
