import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { Call } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Chip, type Tone } from '../../design/parts.tsx';
import { type Column, Heads, type Orders } from '../parts/heads.tsx';
import { nameOfArmed } from '../parts/mode-name.ts';
import { Time } from '../parts/time.tsx';
import { may } from '../rpc/permissions.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { isAlarm, type Source, screenOf } from './source.ts';

/** What is known of sources besides what is stored of each, by their ids. */
export interface Known {
  /** In which environment each of them is triggered. */
  firing: Readonly<Record<string, string>>;
  /** The worst of its findings but `in_test`, which has a badge of its own; absent: not known, as of very many not all are told. */
  verdicts: Readonly<Record<string, string>>;
  lastCalls: Readonly<Record<string, Call>>;
  /** Where not all calls were read, a source without a last call may have one that is older than those. */
  hasAllCalls: boolean;
}

/**
 * So many rows are left out of layout and paint together until they come near the view. The browser watches each thing that it leaves
 * out: 10,000 rows one by one cost more time in every frame than all that they save.
 */
const GROUP = 50;

function inGroups(sources: readonly Source[]): Source[][] {
  return Array.from({ length: Math.ceil(sources.length / GROUP) }, (_, at) =>
    sources.slice(at * GROUP, (at + 1) * GROUP),
  );
}

/** How sources are put in order, where all of them are here: by their last calls only if these are all known. */
export function sourceOrders({ lastCalls, hasAllCalls }: Known, sources: readonly Source[]): Orders<Source> {
  const name = { goes: 'ascending', by: ({ name }: Source) => name } as const;
  const isKnown = hasAllCalls || sources.every(({ id }) => lastCalls[id]);
  const by = ({ id }: Source) => Number(lastCalls[id]?.at?.seconds ?? 0);
  return { name, ...(isKnown && { called: { goes: 'descending', by } }) };
}

function columns(): readonly Column[] {
  const { name, call, state } = wordsOf('lists').columns;
  return [[''], [name, 'name'], [call, 'called'], [state]];
}

/**
 * Shows all sources of a location on this page, below its heading. `heads`: whether it names its columns, or one above does;
 * `orders`: null where it lets nobody put them in order.
 */
export function PlaceRows(props: {
  place: Location;
  sources: readonly Source[];
  known: Known;
  picked: ReadonlyMap<string, Source>;
  heads: 'seen' | 'unseen';
  orders: Orders<Source> | null;
  onPick(of: Source): void;
}) {
  const say = wordsOf('alarms');
  const { place, sources } = props;
  return (
    <section class="card place-card" style={{ '--rows': sources.length }}>
      <header class="head">
        <h2 dir="auto">{place.name}</h2>
        <span class="chips">
          {place.test === true && <Chip tone="test">{say.placeInTest}</Chip>}
          <a class="small" href={addressOf(`alarms?place=${place.id}`)} data-screen>
            {may('configure') ? say.editPlace : say.showPlace}
            <span class="unseen"> {place.name}</span>
          </a>
        </span>
      </header>
      {sources.length === 0 && <p class="row soft">{say.placeEmpty}</p>}
      {sources.length > 0 && (
        <table class="listed" aria-label={place.name}>
          <Heads columns={columns()} orders={props.orders} are={props.heads} />
          {inGroups(sources).map(group => (
            <tbody key={group[0]!.id} class="rows" style={{ '--rows': group.length }}>
              {group.map(of => (
                <Row
                  key={of.id}
                  of={of}
                  place={place}
                  known={props.known}
                  picked={props.picked.has(of.id)}
                  onPick={() => props.onPick(of)}
                />
              ))}
            </tbody>
          ))}
        </table>
      )}
    </section>
  );
}

function Row(props: { of: Source; place: Location; known: Known; picked: boolean; onPick(): void }) {
  const { of, known } = props;
  const say = wordsOf('alarms');
  const call = known.lastCalls[of.id];
  return (
    <tr class="pick">
      <td>
        {may('configure') && (
          <label class="check">
            <input
              type="checkbox"
              checked={props.picked}
              onChange={props.onPick}
              aria-label={words().incidents.select(of.name)}
            />
          </label>
        )}
      </td>
      <td>
        <a href={screenOf(of)} data-screen dir="auto">
          {of.name}
        </a>
      </td>
      <td>
        <small>
          {!isAlarm(of) && <span>{words().states.panic} · </span>}
          {call === undefined ? (
            say.noCallLately
          ) : (
            <>
              {words().verbs[call.verb] ?? call.verb}, <Time at={call.at} />
            </>
          )}
        </small>
      </td>
      <td>
        <Chips of={of} place={props.place} known={known} />
      </td>
    </tr>
  );
}

/** Shows state, mode, test and readiness of a source, each in a word. */
export function Chips({ of, place, known }: { of: Source; place: Location | undefined; known: Known }) {
  const [tone, label] = stateOf(of, known);
  const isTest = of.test === true || place?.test === true;
  const verdict = known.verdicts[of.id];
  return (
    <span class="chips">
      {label !== '' && <Chip tone={tone}>{label}</Chip>}
      {isTest && <Chip tone="test">{words().states.inTest}</Chip>}
      {verdict !== undefined && !of.disabled && !of.deactivated && <Readiness verdict={verdict} isTest={isTest} />}
    </span>
  );
}

function Readiness({ verdict, isTest }: { verdict: string; isTest: boolean }) {
  if (verdict === 'blocks') return <Chip tone="warn">{words().states.notReady}</Chip>;
  if (verdict === 'warns') return <Chip tone="warn">{wordsOf('alarms').withGaps}</Chip>;
  return isTest ? null : <Chip tone="good">{words().states.ready}</Chip>;
}

function stateOf(of: Source, { firing }: Known): [Tone, string] {
  const say = words().states;
  if (firing[of.id] === 'test') return ['test', say.triggeredInTest];
  if (firing[of.id] !== undefined) return ['live', say.triggered];
  if (of.disabled || of.deactivated) return ['off', say.disabled];
  if (!isAlarm(of)) return ['off', ''];
  if (of.armedMode === 'disarmed') return ['off', say.disarmed];
  return ['good', say.armed(nameOfArmed(of))];
}
