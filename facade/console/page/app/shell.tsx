import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon, type IconName } from '../../design/icon.tsx';
import { Choice } from '../../design/parts.tsx';
import { freshness } from '../live/live.ts';
import { needsSomebody, useOpenIncidents } from '../live/open-incidents.ts';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { cityOf, clockIn, dayAndClockIn, zones } from '../parts/time.tsx';
import { isOperator } from '../rpc/permissions.ts';
import { faultOf } from '../rpc/rpc.ts';
import { session, signOut, switchTo } from '../rpc/session.ts';
import { useFocus } from '../way/focus.ts';
import { addressOf, path } from '../way/router.ts';
import { waiting as ofTitle } from '../way/title.ts';
import { words } from '../words.ts';
import { DocsLink } from './docs-link.tsx';
import { type Sheet, useKeys } from './keys.ts';
import { LanguageChoice } from './language-choice.tsx';
import { isOpenLine } from './line.ts';

/** Where one can go; a phone shows the first ones in its bar, and the others behind "More". */
const SCREENS = [
  ['', 'home'],
  ['incidents', 'incidents'],
  ['alarms', 'alarms'],
  ['calls', 'calls'],
] as const satisfies readonly (readonly [string, IconName])[];

const MORE_SCREENS = [
  ['people', 'people'],
  ['duties', 'duties'],
  ['policies', 'policies'],
  ['keys', 'keys'],
  ['notices', 'notices'],
  ['settings', 'settings'],
] as const satisfies readonly (readonly [string, IconName])[];

const OPERATOR_SCREENS = [['operator', 'operator']] as const satisfies readonly (readonly [string, IconName])[];

/** Loaded when somebody asks. */
const Jump = lazyScreen(async () => (await import('../areas/asked.ts')).Jump, 'rest', 'nothing');
const Shortcuts = lazyScreen(async () => (await import('../areas/asked.ts')).Shortcuts, 'rest', 'nothing');

/** Shows what surrounds every screen: navigation, who is signed in, and whether the screen is up to date. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { data: open } = useOpenIncidents();
  const waiting = open?.filter(needsSomebody).length ?? 0;
  useEffect(() => {
    ofTitle.value = waiting;
    return () => {
      ofTitle.value = 0;
    };
  }, [waiting]);
  const needed = open?.filter(one => one.environment === 'live' && one.acknowledgedAt === undefined).length;
  useEffect(() => {
    // On the icon of an installed app. Elsewhere nothing happens.
    if (needed !== undefined) navigator.setAppBadge?.(needed).catch(() => {});
  }, [needed]);
  const [sheet, show] = useState<Sheet | null>(null);
  useKeys(show);
  useFocus();
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {words().skip}
      </a>
      <nav class="side" aria-label={words().nav.label}>
        <div class="brand">
          <Icon name="bell" />
          Tocsin
        </div>
        <Find onFind={() => show('jump')} />
        <div class="links">
          <Links to={SCREENS} waiting={waiting} />
        </div>
        <div class="links">
          <MoreLinks />
        </div>
        <Who />
      </nav>
      <main id="content" class="page" tabIndex={-1}>
        <Stale />
        {children}
        <Foot />
      </main>
      <nav class="bar" aria-label={words().nav.label}>
        <Links to={SCREENS} waiting={waiting} />
        <details key={path.value}>
          <summary class={isMore() ? 'here' : undefined}>
            <Icon name="more" />
            {words().nav.more}
          </summary>
          <div class="sheet">
            <Find onFind={() => show('jump')} />
            <div class="links">
              <MoreLinks />
            </div>
            <Who />
          </div>
        </details>
      </nav>
      {sheet === 'jump' && (
        <Jump screens={screensNamed()} onClose={() => show(null)} onShortcuts={() => show('shortcuts')} />
      )}
      {sheet === 'shortcuts' && <Shortcuts onClose={() => show(null)} />}
    </div>
  );
}

type Target = (typeof SCREENS | typeof MORE_SCREENS | typeof OPERATOR_SCREENS)[number];

/** Tells whether the present screen is behind "More". */
function isMore(): boolean {
  const [first = ''] = path.value.split('/');
  return [...MORE_SCREENS, ...OPERATOR_SCREENS].some(([to]) => to === first);
}

function MoreLinks() {
  return <Links to={moreScreens()} />;
}

function moreScreens(): Target[] {
  return isOperator() ? [...MORE_SCREENS, ...OPERATOR_SCREENS] : [...MORE_SCREENS];
}

function screensNamed() {
  return [...SCREENS, ...moreScreens()].map(([to, name]) => [to, words().nav[name]] as const);
}

function Find({ onFind }: { onFind(): void }) {
  const { find, findKeys } = words().nav;
  return (
    <button type="button" class="find" onClick={onFind}>
      <Icon name="search" />
      {find} <kbd>{findKeys}</kbd>
    </button>
  );
}

function Links({ to: screens, waiting = 0 }: { to: readonly Target[]; waiting?: number }) {
  const [first = ''] = path.value.split('/');
  return screens.map(([to, name]) => (
    <a key={to} href={addressOf(`./${to}`)} data-screen aria-current={first === to ? 'page' : undefined}>
      <Icon name={name} />
      {words().nav[name]}
      {name === 'incidents' && waiting > 0 && <span class="count">{waiting}</span>}
    </a>
  ));
}

function Who() {
  if (session.value.is !== 'signed_in') return null;
  const { who, open, account } = session.value;
  const role = who.member === undefined ? words().signedInAs[who.kind] : words().roles[who.member.role];
  return (
    <div class="who">
      <div>
        <b dir="auto">{who.member?.name ?? account.name}</b>
        <div>{role}</div>
      </div>
      {open.length > 1 ? (
        <Choice
          label={words().account}
          value={account.id}
          options={open.map(({ id, name }) => [id, name] as const)}
          onChoose={id => void switchTo(id)}
        />
      ) : (
        <div dir="auto">{who.member === undefined ? '' : account.name}</div>
      )}
      <LanguageChoice />
      <Exits />
    </div>
  );
}

function Exits() {
  const [is, now] = useState<{ is: 'idle' | 'working' } | { is: 'failed'; why: string }>({ is: 'idle' });
  async function leave(where: 'here' | 'everywhere') {
    now({ is: 'working' });
    try {
      await signOut(where);
      now({ is: 'idle' });
    } catch (fault) {
      now({ is: 'failed', why: faultOf(fault).message });
    }
  }
  const button = (where: 'here' | 'everywhere', label: string) => (
    <button type="button" class="button bare" disabled={is.is === 'working'} onClick={() => void leave(where)}>
      {label}
    </button>
  );
  return (
    <>
      <div class="exits">
        <DocsLink />
        {button('here', words().signOut)}
        {button('everywhere', words().signOutEverywhere)}
      </div>
      {is.is === 'failed' && (
        <p class="notice bad" role="alert">
          {words().notSignedOut(is.why)}
        </p>
      )}
    </>
  );
}

/** Says at the top of the screen that it may not be up to date. */
function Stale() {
  const { is, since } = freshness.value;
  const { account } = zones();
  return (
    <div class="told" role="status">
      {is === 'stale' && (
        <p class="notice" id="stale">
          <Icon name="alert" />
          {words().freshness.stale(`${dayAndClockIn(since, account)} ${cityOf(account)}`)}
        </p>
      )}
    </div>
  );
}

/** Says at the foot whether the screen is live, and in which time zones: never two without their names. */
function Foot() {
  const now = useNow();
  const { account, own, unknown } = zones();
  const { is } = freshness.value;
  const upTo = words().freshness.upTo(clockIn(now, account), cityOf(account));
  return (
    <footer class="freshness figures">
      {is === 'live' ? <span class="chip good">{words().freshness.live}</span> : words().freshness.reconnecting}
      {is !== 'live' && <span>{words().zone(cityOf(account))}</span>}
      {is === 'live' && <span>{upTo}</span>}
      {is === 'live' && account !== own && <span>{words().freshness.yours(clockIn(now, own), cityOf(own))}</span>}
      {unknown !== '' && <span>{words().freshness.unknownZone(unknown)}</span>}
      {isOpenLine() && <span>{words().openLine}</span>}
    </footer>
  );
}

function useNow(): Date {
  const [now, setNow] = useState(new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
