/**
 * A second, naive account of SPEC.md 3 and its rulings, to hold the rules of the product against: a diary that is played
 * from the front. Whatever is going to happen stands in it with its time; a timer that has nothing left to do when its
 * time comes does nothing. Imports nothing. Times in seconds.
 */
export interface Call {
  at: number;
  verb: 'arm' | 'disarm' | 'trigger' | 'clear' | 'acknowledge' | 'close' | 'go_live' | 'disable';
  /** Null for a panic button. */
  mode: 'home' | 'away' | 'night' | 'vacation' | null;
  environment: 'live' | 'test';
  window: number;
  gate: 'on' | 'off';
  /** The incident meant, counted from 1 in the order of opening. */
  incident: number;
}

export interface House {
  kind: 'alarm' | 'panic_button';
  clearOnDisarm: 'on' | 'off';
  /** When messages go out after the opening, for each mode and for the button. */
  messagesAfter: Record<string, readonly number[]>;
  /** The pause after which a trigger that joins is told; 0: never. */
  stillHappeningAfter: number;
  /** Messages are emails; whoever gets them has push as well. Which of the two can be sent. */
  carriers: readonly ('email' | 'push')[];
}

export interface Story {
  armed: string | null;
  pending: { ends: number; mode: string | null; environment: string; triggers: number } | null;
  incidents: Chapter[];
  /** What each call came to, and the incident or the waiting trigger (the call that began it, from 0) that it touched. */
  outcomes: string[];
}

export interface Chapter {
  mode: string | null;
  environment: string;
  opened: number;
  triggers: number;
  acknowledgedAt: number | null;
  /** When it came up that nobody had answered. */
  unanswered: number | null;
  /** What those who were alerted were told afterwards: `acknowledged` and `still_happening`, with the time. */
  toldLater: string[];
  closed: number | null;
  why: string | null;
  /** When messages are due, and from when on none may go out. */
  messages: number[];
  /** In test: what would have become of each in live, and what would have gone in its place. */
  inTest: string[];
  silentFrom: number | null;
}

interface Waiting {
  begunBy: number;
  ends: number;
  mode: string | null;
  environment: string;
  triggers: number;
  latest: number;
}

const DAY = 86_400;
const ANSWER_WITHIN = 300;

/** Plays the calls, which are in order of time, and then time itself up to and including `until`. */
export function play(house: House, calls: readonly Call[], until: number): Story {
  const diary: { at: number; happens: () => void }[] = [];
  const incidents: Chapter[] = [];
  const lastTrigger = new Map<Chapter, number>();
  const outcomes: string[] = [];
  let armed: string | null = null;
  let waiting: Waiting | null = null;

  const openOne = () => incidents.find(incident => incident.closed === null);
  const numberOf = (incident: Chapter) => incidents.indexOf(incident) + 1;
  const lastMessage = ({ opened, messages, silentFrom }: Chapter) =>
    Math.min(messages.at(-1) ?? opened, silentFrom ?? Number.POSITIVE_INFINITY);

  function finish(incident: Chapter | undefined, at: number, why: string) {
    if (incident === undefined) return;
    incident.closed = at;
    incident.why = why;
    incident.silentFrom ??= at;
  }

  function watchForADay(incident: Chapter) {
    const at = lastMessage(incident) + DAY;
    const happens = () => {
      if (incident.closed === null && lastMessage(incident) + DAY === at) finish(incident, at, 'auto_close');
    };
    // An auto-close comes before the end of a window at the same instant.
    diary.unshift({ at, happens });
  }

  function watchForAnswer(incident: Chapter) {
    const at = lastMessage(incident) + ANSWER_WITHIN;
    const happens = () => {
      if (incident.closed === null && incident.acknowledgedAt === null) incident.unanswered = at;
    };
    // It comes before everything else at the same instant.
    if (incident.environment === 'live' && incident.messages.length > 0) diary.unshift({ at, happens });
  }

  function begin(
    at: number,
    from: { mode: string | null; environment: string; triggers: number; latest?: number },
  ): Chapter {
    finish(openOne(), at, 'superseded');
    const messages = house.messagesAfter[from.mode ?? 'button']!.map(after => at + after);
    const { mode, environment, triggers } = from;
    const incident = {
      mode,
      environment,
      opened: at,
      triggers,
      acknowledgedAt: null,
      unanswered: null,
      toldLater: [],
      closed: null,
      why: null,
      messages,
      inTest: environment === 'test' ? messages.flatMap(message => wouldBe(message)) : [],
      silentFrom: null,
    };
    incidents.push(incident);
    lastTrigger.set(incident, from.latest ?? at);
    watchForADay(incident);
    watchForAnswer(incident);
    return incident;
  }

  function wouldBe(message: number): string[] {
    if (house.carriers.includes('email')) return [`${message} email goes`];
    const inPlace = house.carriers.includes('push') ? [`${message} push goes instead of email`] : [];
    return [`${message} email no_carrier`, ...inPlace];
  }

  function waitUntil(ends: number) {
    diary.push({
      at: ends,
      happens: () => {
        if (waiting?.ends !== ends) return;
        const over = waiting;
        waiting = null;
        begin(ends, over);
      },
    });
  }

  function trigger({ at, mode, environment, window, gate }: Call, index: number): string {
    const open = openOne();
    if (open !== undefined && !(environment === 'live' && open.environment === 'test')) {
      const pause = at - lastTrigger.get(open)!;
      const wanted = house.stillHappeningAfter > 0 && pause >= house.stillHappeningAfter;
      if (wanted && open.environment === 'live') open.toldLater.push(`still_happening ${open.triggers - 1} at ${at}`);
      lastTrigger.set(open, at);
      open.triggers++;
      return `folded into incident ${numberOf(open)}`;
    }
    const ends = at + window;
    if (waiting !== null) {
      if (ends < waiting.ends) {
        Object.assign(waiting, { ends, mode });
        waitUntil(ends);
      }
      if (environment === 'live') waiting.environment = 'live';
      waiting.triggers++;
      waiting.latest = at;
      return `folded into waiting ${waiting.begunBy}`;
    }
    if (house.kind === 'alarm' && gate === 'on' && armed === null && open === undefined) return 'held_by_gate';
    if (house.kind === 'alarm' && window > 0) {
      waiting = { begunBy: index, ends, mode, environment, triggers: 1, latest: at };
      waitUntil(ends);
      return `pending as waiting ${index}`;
    }
    return `opened incident ${numberOf(begin(at, { mode, environment, triggers: 1 }))}`;
  }

  function stopWaiting(): string {
    const stopped = waiting === null ? '' : `, cancelled waiting ${waiting.begunBy}`;
    waiting = null;
    return stopped;
  }

  function hear(call: Call, index: number): string {
    const open = openOne();
    const meant = open !== undefined && numberOf(open) === call.incident ? open : undefined;
    switch (call.verb) {
      case 'arm':
        armed = call.mode;
        return 'armed';
      case 'disarm': {
        armed = null;
        const stopped = stopWaiting();
        if (open === undefined || house.clearOnDisarm === 'off') return `disarmed${stopped}`;
        finish(open, call.at, 'disarm');
        return `disarmed${stopped}, closed incident ${numberOf(open)}`;
      }
      case 'trigger':
        return trigger(call, index);
      case 'clear':
        if (open === undefined) return 'nothing_open';
        finish(open, call.at, 'clear');
        return `closed incident ${numberOf(open)}`;
      case 'acknowledge':
        if (meant === undefined) return 'already_closed';
        if (meant.acknowledgedAt !== null) return `already_acknowledged incident ${call.incident}`;
        meant.acknowledgedAt = call.at;
        meant.silentFrom = call.at;
        if (meant.environment === 'live') meant.toldLater.push(`acknowledged 0 at ${call.at}`);
        watchForADay(meant);
        return `acknowledged incident ${call.incident}`;
      case 'close':
        if (meant === undefined) return 'already_closed';
        finish(meant, call.at, 'console');
        return `closed incident ${call.incident}`;
      case 'go_live':
        if (open?.environment === 'test') finish(open, call.at, 'went_live');
        return `went_live${waiting?.environment === 'test' ? stopWaiting() : ''}`;
      case 'disable':
        finish(open, call.at, 'source_disabled');
        return `disabled${stopWaiting()}`;
    }
  }

  function letTimePass(upTo: number) {
    for (;;) {
      const next = Math.min(...diary.map(({ at }) => at));
      if (next > upTo) return;
      const [entry] = diary.splice(
        diary.findIndex(({ at }) => at === next),
        1,
      );
      entry!.happens();
    }
  }

  calls.forEach((call, index) => {
    letTimePass(call.at);
    outcomes.push(hear(call, index));
  });
  letTimePass(until);
  const pending = waiting as Waiting | null;
  return {
    armed,
    pending: pending && {
      ends: pending.ends,
      mode: pending.mode,
      environment: pending.environment,
      triggers: pending.triggers,
    },
    incidents,
    outcomes,
  };
}
