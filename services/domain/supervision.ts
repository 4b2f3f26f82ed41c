/*
 * Supervision of senders (DECISIONS.md "Supervised senders"): an armed alarm whose sender has fallen silent would never
 * be triggered, and its owner must know before the burglar does. Pure: what is known of the keys of one account goes in,
 * what became of them and whom to tell comes out. Times are milliseconds since 1970, of the deployment.
 */

/** How long a supervised key may be silent, in seconds. */
export const SUPERVISION_S = { least: 120, most: 7 * 86_400 } as const;

/**
 * What follows when a supervised key falls silent while something it reaches is armed. `notify`: its owners are told.
 * `alert`: they are, and its alarm is triggered (DECISIONS.md "A silence that alerts").
 */
export const ON_SILENCE = ['notify', 'alert'] as const;

export type OnSilence = (typeof ON_SILENCE)[number];

/**
 * How long after its deadline a key is called silent, in milliseconds: a proof of life takes a few seconds to be stored,
 * and what falls silent together should be told together. A key past `JOINS_MS` is called silent along with another.
 */
export const TELL_AFTER_MS = 30_000;
export const JOINS_MS = 10_000;

/** At most one pair of notices (silent, alive again) for each key in this time, in milliseconds. */
const PAIR_EVERY_MS = 6 * 3_600_000;

/**
 * Keys that fall silent within `withinMs` of each other, at least `keys` and `share` of those supervised, have one cause:
 * the line of the senders, or this server. `accounts`: those whose keys these are, where it is a fault of all.
 */
const TOGETHER = { withinMs: 120_000, keys: 3, share: 0.3, accounts: 3 } as const;

/**
 * What became of the silence of a key. `recorded`: nobody was told. `told`: its owners were. `laid_aside`: they were, and
 * nothing that it reaches has been armed since: where something is, they are told again.
 */
export type Silence = 'none' | 'recorded' | 'told' | 'laid_aside';

/** A supervised key that is silent, or past its deadline. */
export interface WatchedKey {
  keyId: string;
  label: string;
  supervisionS: number;
  /** The later of its last proof of life, when it was made, and when its supervision was switched on or changed. */
  heardAt: number;
  silence: Silence;
  /** Since when nothing was heard, and when that was found; null: it is not silent. */
  silentSince: number | null;
  silentAt: number | null;
  /** When a silence was last told; and when one notice told of several keys. */
  toldAt: number | null;
  toldWith: number | null;
  /** How many silences there were since one was told. */
  silences: number;
  /** What it reaches that is armed and live: the names of a few, or none. */
  armed: readonly string[];
  onSilence: OnSilence;
  /** Whether its silence is still to trigger its alarm. */
  alert: 'none' | 'waits';
}

/** What is stored of a key's silence. */
export type SilenceState = Pick<
  WatchedKey,
  'keyId' | 'silence' | 'silentSince' | 'silentAt' | 'toldAt' | 'toldWith' | 'silences' | 'alert'
>;

/** What owners are told. `keys`: their labels. */
export type SupervisionNotice =
  /**
   * `times`: how often it fell silent since that was last told, this time included. `follows`: whether its alarm is triggered if
   * it stays silent.
   */
  | {
      kind: 'blind';
      of: readonly string[];
      keys: string[];
      armed: readonly string[];
      silentMs: number;
      times: number;
      follows: 'alert' | 'nothing';
    }
  /** Several at once. `cause`: `line` where they fell silent together; `armed`: they were silent when this was armed. */
  | {
      kind: 'blind_together';
      of: readonly string[];
      keys: string[];
      armed: readonly string[];
      cause: 'line' | 'armed';
      supervised: number;
    }
  /** `stillSilent`: of those that the same notice was about. */
  | { kind: 'sender_back'; of: readonly string[]; keys: string[]; gapMs: number; stillSilent: number };

/** What is to be written and told about the keys of an account. */
export interface Supervised {
  changed: SilenceState[];
  notices: SupervisionNotice[];
  /** Keys that trigger their alarm now, because they are silent. */
  alerts: { keyId: string; silentSince: number }[];
  /** When the next key may do so; null: none waits. */
  alertAt: number | null;
}

/**
 * What the senders of other accounts do. `silent`: so much fell silent at once that it is the line or this server;
 * `not_known`: only some accounts were looked at.
 */
export type Others = 'heard' | 'silent' | 'not_known';

/** Returns until when a key has to be heard. `acceptingSince`: since when calls are accepted without a break. */
export function deadlineOf(key: Pick<WatchedKey, 'heardAt' | 'supervisionS'>, acceptingSince: number): number {
  return Math.max(key.heardAt, acceptingSince) + key.supervisionS * 1_000;
}

/**
 * Judges the keys of one account: which fell silent, which are heard again, and what their owners are told. `keys` are
 * those that are silent or past their deadline, of `supervised` in all.
 */
export function judgeSenders(account: {
  keys: readonly WatchedKey[];
  supervised: number;
  others: Others;
  acceptingSince: number;
  now: number;
}): Supervised {
  const { keys, now } = account;
  const found = findSilent(account);
  const back = keys.filter(key => key.silentSince !== null && key.heardAt > key.silentSince);
  const gone = new Set(back.map(({ keyId }) => keyId));
  const silent = keys.filter(({ keyId }) => !gone.has(keyId)).flatMap(key => found.get(key.keyId) ?? stillSilent(key));
  const { settled, alerts, alertAt } = alert(silent, account);
  const told = tell(settled.map(layAside), account);
  const changed = [...told.keys, ...back.map(heardAgain)];
  const before = new Map(keys.map(key => [key.keyId, key]));
  return {
    changed: changed.filter(key => differs(key, before.get(key.keyId)!)).map(stateOf),
    notices: [...told.notices, ...tellBack(back, told.keys, now)],
    alerts,
    alertAt,
  };
}

/** Returns the keys that fell silent just now, by id, as they are from now on. */
function findSilent(account: { keys: readonly WatchedKey[]; acceptingSince: number; now: number }) {
  const { keys, acceptingSince, now } = account;
  const late = keys
    .filter(({ silentSince }) => silentSince === null)
    .map(key => ({ key, lateMs: now - deadlineOf(key, acceptingSince) }));
  const someIsDue = late.some(({ lateMs }) => lateMs >= TELL_AFTER_MS);
  const silent = someIsDue ? late.filter(({ lateMs }) => lateMs >= JOINS_MS) : [];
  return new Map(
    silent.map(({ key }): [string, WatchedKey] => [
      key.keyId,
      {
        ...key,
        silence: 'recorded',
        silentSince: key.heardAt,
        silentAt: now,
        toldWith: null,
        silences: key.silences + 1,
        alert: key.onSilence === 'alert' && key.armed.length > 0 ? 'waits' : 'none',
      },
    ]),
  );
}

function stillSilent(key: WatchedKey): WatchedKey[] {
  return key.silentSince === null ? [] : [key];
}

/** Where nothing is armed any more, whoever arms something again has to be told again. */
function layAside(key: WatchedKey): WatchedKey {
  return key.silence === 'told' && key.armed.length === 0 ? { ...key, silence: 'laid_aside' } : key;
}

/**
 * Says which silent keys trigger their alarm: each two minutes after it was found silent, if it still is and that alarm is
 * still armed. Until then it may turn out that others fell silent together with it: that is the line or this server, of
 * which owners are told, and nobody is alerted. What was silent when a break of ours began has a whole new period to be
 * heard.
 */
function alert(
  silent: readonly WatchedKey[],
  account: { supervised: number; others: Others; acceptingSince: number; now: number },
): { settled: WatchedKey[] } & Pick<Supervised, 'alerts' | 'alertAt'> {
  const { others, acceptingSince, now } = account;
  const isLine = fellTogether(silent, account) || others === 'silent';
  const mayAlert = (key: WatchedKey) => key.alert === 'waits' && key.armed.length > 0 && key.onSilence === 'alert';
  const waiting = silent.filter(key => mayAlert(key) && !(isLine && isRecent(key.silentAt, now)));
  const isDue = (key: WatchedKey) => others !== 'not_known' && alertDueAt(key, acceptingSince) <= now;
  const due = new Set(waiting.filter(isDue));
  const left = new Set(waiting.filter(key => !due.has(key)));
  return {
    settled: silent.map(key => (key.alert === 'waits' && !left.has(key) ? { ...key, alert: 'none' } : key)),
    alerts: [...due].map(({ keyId, silentSince }) => ({ keyId, silentSince: silentSince! })),
    alertAt: left.size === 0 ? null : Math.min(...[...left].map(key => alertDueAt(key, acceptingSince))),
  };
}

function alertDueAt(key: WatchedKey, acceptingSince: number): number {
  return Math.max(key.silentAt! + TOGETHER.withinMs, deadlineOf(key, acceptingSince) + TELL_AFTER_MS);
}

/** Tells whether so many of an account's keys fell silent within two minutes that this has one cause. */
function fellTogether(
  silent: readonly WatchedKey[],
  { supervised, now }: { supervised: number; now: number },
): boolean {
  const together = silent.filter(key => isRecent(key.silentAt, now)).length;
  return together >= TOGETHER.keys && together >= TOGETHER.share * supervised;
}

/**
 * Tells of the silent keys that something armed depends on, each at most once in six hours. Those that fell silent just
 * now are one notice where they have one cause; those that were silent before, where there are as many.
 */
function tell(
  silent: readonly WatchedKey[],
  { supervised, now }: { supervised: number; now: number },
): { keys: WatchedKey[]; notices: SupervisionNotice[] } {
  const isLine = fellTogether(silent, { supervised, now });
  const due = silent.filter(
    ({ silence, armed, toldAt }) =>
      silence !== 'told' && armed.length > 0 && (toldAt === null || now - toldAt >= PAIR_EVERY_MS),
  );
  // Those that follow within two minutes are part of what was told already.
  const joined = isLine ? silent.find(key => isRecent(key.toldWith, now) && toldAs(key) === 'line') : undefined;
  const ofLine = isLine ? due.filter(key => isRecent(key.silentAt, now)) : [];
  const old = due.filter(key => !isRecent(key.silentAt, now));
  const ofArmed = old.length >= TOGETHER.keys ? old : [];
  const asOne = new Map([
    ...ofLine.map(key => [key, joined?.toldWith ?? now] as const),
    ...ofArmed.map(key => [key, now] as const),
  ]);
  const isTold = new Set(due);
  return {
    keys: silent.map(key =>
      isTold.has(key)
        ? { ...key, silence: 'told' as const, toldAt: now, toldWith: asOne.get(key) ?? null, silences: 0 }
        : key,
    ),
    notices: [
      ...(joined === undefined ? blindTogether(ofLine, 'line', supervised) : []),
      ...blindTogether(ofArmed, 'armed', supervised),
      ...due.filter(key => !asOne.has(key)).map(key => blind(key, now)),
    ],
  };
}

function isRecent(at: number | null, now: number): boolean {
  return at !== null && now - at < TOGETHER.withinMs;
}

/** As part of which notice a key was told: of what fell silent together, or of what was silent when it was armed. */
function toldAs({ toldWith, silentAt }: WatchedKey): 'line' | 'armed' | 'alone' {
  if (toldWith === null) return 'alone';
  return isRecent(silentAt, toldWith) ? 'line' : 'armed';
}

function blindTogether(of: readonly WatchedKey[], cause: 'line' | 'armed', supervised: number): SupervisionNotice[] {
  if (of.length === 0) return [];
  return [
    {
      kind: 'blind_together',
      of: of.map(({ keyId }) => keyId),
      keys: of.map(({ label }) => label),
      armed: [...new Set(of.flatMap(({ armed }) => armed))],
      cause,
      supervised,
    },
  ];
}

function blind(key: WatchedKey, now: number): SupervisionNotice {
  const { keyId, label, armed, silentSince, silences } = key;
  const follows = key.alert === 'waits' ? 'alert' : 'nothing';
  return { kind: 'blind', of: [keyId], keys: [label], armed, silentMs: now - silentSince!, times: silences, follows };
}

/** Tells that keys are heard again whose silence was told; those that one notice was about together, and once. */
function tellBack(back: readonly WatchedKey[], silent: readonly WatchedKey[], now: number): SupervisionNotice[] {
  const told = back.filter(({ silence }) => silence === 'told' || silence === 'laid_aside');
  return [...Map.groupBy(told, groupOf)].map(([group, keys]) => {
    const isOne = keys[0]!.toldWith === null;
    return {
      kind: 'sender_back',
      // One notice of those that were told together: the one of whoever is heard first.
      of: [isOne ? `${group} ${now}` : group],
      keys: keys.map(({ label }) => label),
      gapMs: Math.max(...keys.map(({ heardAt, silentSince }) => heardAt - silentSince!)),
      stillSilent: isOne ? 0 : silent.filter(key => groupOf(key) === group).length,
    };
  });
}

/** Names what a key was told with; one that was told alone, by itself. */
function groupOf(key: WatchedKey): string {
  return key.toldWith === null ? key.keyId : `${toldAs(key)} ${key.toldWith}`;
}

function heardAgain(key: WatchedKey): WatchedKey {
  return { ...key, silence: 'none', silentSince: null, silentAt: null, toldWith: null, alert: 'none' };
}

function stateOf(key: SilenceState): SilenceState {
  const { keyId, silence, silentSince, silentAt, toldAt, toldWith, silences, alert } = key;
  return { keyId, silence, silentSince, silentAt, toldAt, toldWith, silences, alert };
}

function differs(a: SilenceState, b: SilenceState): boolean {
  return a.silence !== b.silence || a.silentSince !== b.silentSince || a.toldAt !== b.toldAt || a.alert !== b.alert;
}

/** How long a process that says nothing counts as accepting, in milliseconds. */
export const ACCEPTING_FOR_MS = 15_000;

/** How many of the deployment's supervised keys fell silent within two minutes, of how many accounts. */
export interface DeploymentSilence {
  supervised: number;
  recent: number;
  accounts: number;
}

/** Returns how much of a deployment fell silent lately, what is found silent now included. `supervised`: in all. */
export function silenceInAll(
  accounts: readonly { keys: readonly WatchedKey[] }[],
  { supervised, acceptingSince, now }: { supervised: number; acceptingSince: number; now: number },
): DeploymentSilence {
  const recent = accounts.map(({ keys }) => {
    const known = keys.filter(({ silentAt }) => isRecent(silentAt, now)).length;
    return known + findSilent({ keys, acceptingSince, now }).size;
  });
  return {
    supervised,
    recent: recent.reduce((all, keys) => all + keys, 0),
    accounts: recent.filter(keys => keys > 0).length,
  };
}

/**
 * Tells whether so much fell silent at once that the operator has to look: at the line, or at this server. Few accounts
 * are told themselves: what two of them do may not keep the heartbeat of all from being sent.
 */
export function concernsOperator({ supervised, recent, accounts }: DeploymentSilence): boolean {
  return accounts >= TOGETHER.accounts && recent >= TOGETHER.keys && recent >= TOGETHER.share * supervised;
}
