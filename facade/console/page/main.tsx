import { render } from 'preact';
import { UNREADABLE } from '../words/unreadable.ts';
import { App } from './app/app.tsx';
import { keepInstalling } from './live/install.ts';
import { startLive } from './live/live.ts';
import { bringWorker } from './live/offline.ts';
import { loadSession } from './rpc/session.ts';
import { startRouter } from './way/router.ts';
import { languageAsked, loadWords } from './words.ts';

keepInstalling();
const page = document.getElementById('app')!;
const signedIn = loadSession();
const isReadable = await loadWords().then(
  () => true,
  () => false,
);
if (isReadable) {
  startRouter();
  startLive();
  render(<App />, page);
  bringWorker();
  await signedIn;
} else sayUnreadable();

/** Shown when not even the words could be fetched. */
function sayUnreadable(): void {
  const { title, do: act } = UNREADABLE[languageAsked()];
  render(
    <main class="plain">
      <h1>{title}</h1>
      <button type="button" class="button" onClick={() => location.reload()}>
        {act}
      </button>
    </main>,
    page,
  );
}
