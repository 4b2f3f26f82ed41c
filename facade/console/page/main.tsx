import { render } from 'preact';
import { App } from './app.tsx';
import { startLive } from './live.ts';
import { startRouter } from './router.ts';
import { loadSession } from './session.ts';
import { loadWords } from './words.ts';

const signedIn = loadSession();
await loadWords();
startRouter();
startLive();
render(<App />, document.getElementById('app')!);
await signedIn;
