import { Empty, Skeleton } from '../../design/parts.tsx';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { loadSession, session } from '../rpc/session.ts';
import { HomeScreen } from '../screens/home.tsx';
import { IncidentScreen } from '../screens/incident.tsx';
import { confirmSecret, phoneSecret } from '../way/link.ts';
import { path } from '../way/router.ts';
import { useTitle } from '../way/title.ts';
import { words } from '../words.ts';
import { overlay } from './overlay.ts';
import { Shell } from './shell.tsx';

const NoticesScreen = lazyScreen(async () => (await import('../areas/things.ts')).NoticesScreen);
const OperatorScreen = lazyScreen(async () => (await import('../areas/things.ts')).OperatorScreen);
const Demo = lazyScreen(async () => (await import('../areas/incidents.ts')).Demo);
const FirstAccount = lazyScreen(async () => (await import('../areas/incidents.ts')).FirstAccount);
const SettingsScreen = lazyScreen(async () => (await import('../areas/things.ts')).SettingsScreen);
const AlarmsScreen = lazyScreen(async () => (await import('../areas/things.ts')).AlarmsScreen);
const AlarmScreen = lazyScreen(async () => (await import('../areas/things.ts')).AlarmScreen);
const PanicButtonScreen = lazyScreen(async () => (await import('../areas/things.ts')).PanicButtonScreen);
const KeysScreen = lazyScreen(async () => (await import('../areas/things.ts')).KeysScreen);
const PeopleScreen = lazyScreen(async () => (await import('../areas/things.ts')).PeopleScreen);
const PersonScreen = lazyScreen(async () => (await import('../areas/things.ts')).PersonScreen);
const StartScreen = lazyScreen(async () => (await import('../areas/things.ts')).StartScreen);
const PoliciesScreen = lazyScreen(async () => (await import('../areas/things.ts')).PoliciesScreen);
const PolicyScreen = lazyScreen(async () => (await import('../areas/things.ts')).PolicyScreen);
const DutiesScreen = lazyScreen(async () => (await import('../areas/things.ts')).DutiesScreen);
const DutyScreen = lazyScreen(async () => (await import('../areas/things.ts')).DutyScreen);
const IncidentsScreen = lazyScreen(async () => (await import('../areas/incidents.ts')).IncidentsScreen, 'first');
const CallsScreen = lazyScreen(async () => (await import('../areas/incidents.ts')).CallsScreen, 'first');
const ConfirmScreen = lazyScreen(async () => (await import('../areas/door.ts')).ConfirmScreen, 'first');
const PhoneScreen = lazyScreen(async () => (await import('../areas/door.ts')).PhoneScreen);
const SignInScreen = lazyScreen(async () => (await import('../areas/door.ts')).SignInScreen, 'first');

/** Shows the screen of the moment, and what lies over it. */
export function App() {
  return (
    <>
      <Now />
      {overlay.value}
    </>
  );
}

/** Shows the sign-in until somebody is signed in, then the screen that the address names. */
function Now() {
  const now = session.value;
  const { is } = now;
  useTitle();
  if (confirmSecret.value !== '') return <ConfirmScreen />;
  if (phoneSecret.value !== '') return <PhoneScreen />;
  if (is === 'loading') return <Skeleton label={words().loading} />;
  if (is === 'signed_out') return <SignInScreen />;
  if (now.is === 'no_account' && now.kind === 'operator') return <FirstAccount besides="nothing" />;
  if (is === 'away' || is === 'no_account') return <Nothing is={is} />;
  const shown = screenOf(path.value);
  const isDemo = now.account.purpose === 'demo' && now.who.kind === 'operator';
  return isDemo && path.value === '' ? <Demo home={shown} others={now.open.length - 1} /> : <Shell>{shown}</Shell>;
}

function screenOf(at: string) {
  const [first = '', second] = at.split('/');
  if (first === '' || first === 'sign-in' || first === 'confirm') return <HomeScreen />;
  if (first === 'incidents')
    return second === undefined ? <IncidentsScreen /> : <IncidentScreen id={second} key={second} />;
  if (first === 'calls') return <CallsScreen />;
  if (first === 'notices')
    return <NoticesScreen list={second === 'changes' || second === 'proofs' ? second : 'told'} />;
  if (first === 'operator') return <OperatorScreen part={second} />;
  if (first === 'settings') return <SettingsScreen part={second} />;
  if (first === 'alarms') return second === undefined ? <AlarmsScreen /> : <AlarmScreen id={second} key={second} />;
  if (first === 'panic-buttons' && second !== undefined) return <PanicButtonScreen id={second} key={second} />;
  if (first === 'people') return second === undefined ? <PeopleScreen /> : <PersonScreen id={second} key={second} />;
  if (first === 'keys') return <KeysScreen />;
  if (first === 'start') return <StartScreen />;
  if (first === 'policies')
    return second === undefined ? <PoliciesScreen /> : <PolicyScreen id={second} key={second} />;
  if (first === 'duties') return second === undefined ? <DutiesScreen /> : <DutyScreen id={second} key={second} />;
  return <Empty icon="search" of="screen" title={words().nothingHere} />;
}

function Nothing({ is }: { is: 'away' | 'no_account' }) {
  const { title, text } = words()[is === 'away' ? 'away' : 'noAccount'];
  return (
    <main class="plain">
      <Empty icon="alert" of="screen" title={title} text={text}>
        <button type="button" class="button" onClick={() => void loadSession()}>
          {words().tryAgain}
        </button>
      </Empty>
    </main>
  );
}
