import type { Acceptance } from '../../services/engine/accept/accept.ts';
import type { Call } from '../support/door-model.ts';
import { count, houseOf, type Life, moment, newTrace, say, upAndStarted } from './life.ts';
import { type Called, shortTrace } from './lived.ts';
import { time, within } from './virtual.ts';

/** What callers call, as often as it stands here. */
const CALLS: readonly Call[] = [
  ...(['trigger', 'trigger', 'trigger/night', 'trigger/home', 'trigger/away', 'trigger/vacation', 'trigger'] as const),
  ...(['arm', 'arm/home', 'arm/night', 'arm/away'] as const),
  ...(['disarm', 'disarm', 'disarm', 'disarm'] as const),
  ...(['clear', 'clear'] as const),
  ...(['panic trigger', 'panic trigger', 'panic clear'] as const),
];

/** How much goes to the first of the two accounts, and how much with the key that may be revoked. */
const FIRST_HOUSE = 0.7;
const SPARE_KEY = 0.2;

/** Makes a call, of chance what, where and with which key. Does nothing while no process is up. */
export function call(life: Life): void {
  const able = upAndStarted(life);
  if (able.length === 0) return;
  life.callsLeft--;
  const { dice } = life;
  const { process: at, product } = dice.pick(able);
  const house = dice.chance(FIRST_HOUSE) ? 0 : 1;
  const what = dice.pick(CALLS);
  const by = dice.chance(SPARE_KEY) ? 'spare' : 'key';
  const { environment, spareKey, alarm, changing } = life.standing[house]!;
  const source = what.startsWith('panic ') ? 'button' : 'alarm';
  const called: Called = {
    house,
    source,
    call: what,
    trace: newTrace(life),
    at: at.name,
    began: moment(life),
    ended: null,
    answer: 'unknown',
    verdict: '',
    key: by === 'spare' ? spareKey : 'good',
    environments: changing === 'something' ? ['live', 'test'] : [environment],
    disabled:
      source === 'button'
        ? 'never'
        : changing === 'something'
          ? 'sometimes'
          : alarm === 'disabled'
            ? 'always'
            : 'never',
  };
  life.lived.calls.push(called);
  life.calling.set(called, at);
  say(life, `${at.name} is asked by ${house} to ${what}: ${shortTrace(called.trace)}`);

  const { key, spare, ids } = houseOf(life, house);
  const [verb, modeWord] = what.replace('panic ', '').split('/') as [never, string | undefined];
  const asked = {
    secret: by === 'spare' ? spare.secret : key,
    kind: source === 'button' ? ('panic_button' as const) : ('alarm' as const),
    sourceId: ids[source],
    verb,
    modeWord,
    traceId: called.trace,
    parentTraceId: null,
    from: () => ({ address: '192.0.2.1', agent: 'a device' }),
  };
  within(at, () => {
    product.accept(asked).then(
      acceptance => answered(life, called, acceptance),
      error => unanswered(life, called, error),
    );
  });
}

function answered(life: Life, called: Called, { verdict }: Acceptance): void {
  if (!life.calling.delete(called)) return;
  called.ended = moment(life);
  called.answer = verdict === 'accepted' ? 'accepted' : 'refused';
  called.verdict = verdict;
  count(life, verdict);
  say(life, `answer to ${shortTrace(called.trace)}: ${verdict}`);
  if (called.answer === 'accepted' && called.call.startsWith('trigger')) notePossibleEnds(life, called.house);
}

function unanswered(life: Life, called: Called, error: Error): void {
  if (!life.calling.delete(called)) return;
  called.ended = moment(life);
  called.verdict = error.name;
  count(life, '503');
  say(life, `answer to ${shortTrace(called.trace)}: 503, ${error.name}`);
}

/** Whatever mode it was: near the ends of all of its windows much can go wrong. */
function notePossibleEnds(life: Life, house: number): void {
  for (const windowS of new Set(Object.values(life.lived.settings[house]!.windows))) {
    if (windowS > 0) life.dues.push(time.now + windowS * 1_000);
  }
}
