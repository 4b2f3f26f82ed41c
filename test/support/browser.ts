import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { chromiumProgram } from './chromium-program.ts';
import { eventually } from './wait.ts';

/** A page in a real browser. */
export interface Page {
  /** Evaluates an expression in the page and gives its value, promises included. */
  evaluate<T>(expression: string): Promise<T>;
  /** What the page wrote to its console, threw, or was not allowed to load. */
  readonly complaints: string[];
  /** Goes to another URL, and waits until that page is there. */
  open(url: string): Promise<void>;
  /** Touches the middle of the first element that a selector names, where it is on the screen. */
  tap(selector: string): Promise<void>;
  /** Presses a key where the keyboard is. */
  key(name: keyof typeof KEYS): Promise<void>;
  /** Writes where the keyboard is. */
  write(text: string): Promise<void>;
  /** Shows the page on another screen from now on. */
  turnTo(screen: Screen): Promise<void>;
  /** Opens a URL in another tab of the same browser. */
  another(url: string): Promise<Page>;
  /** Closes this tab. */
  close(): Promise<void>;
  /** What is seen now, as a PNG; as WebP with a quality (1 to 100). */
  screenshot(quality?: number): Promise<Buffer>;
  /** Calls a method of the DevTools protocol, for what is not named above, and gives its result. */
  ask<T>(method: string, params?: object): Promise<T>;
  /** Gives on what the browser tells by an event of the DevTools protocol, until the function that it returns is called. */
  hear<T>(event: string, heard: (params: T) => void): () => void;
}

/** A Chromium of its own. */
export interface Browser {
  /** Opens a URL in its first tab; with `screen`, as a telephone of that size would. */
  open(url: string, screen?: Screen | null): Promise<Page>;
  /** Ends it, and removes all that it kept. */
  stop(): Promise<void>;
}

/** A screen, in CSS pixels, whether the browser runs scripts, and whether its owner likes it dark. */
export interface Screen {
  width: number;
  height: number;
  scripts: 'on' | 'off';
  scheme?: 'light' | 'dark';
}

/** No window, no sandbox (it would need root here), and no calls home. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--remote-debugging-port=0',
];

/** Starts a Chromium with nothing in it. `flags`: what its command line says besides. */
export async function startBrowser(flags: readonly string[] = []): Promise<Browser> {
  const { path, env } = await chromiumProgram();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-chromium-'));
  const browser = spawn(path, [...FLAGS, ...flags, `--user-data-dir=${folder}`, 'about:blank'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  browser.stderr.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-2_000);
  });
  const gone = once(browser, 'exit');
  async function stop(): Promise<void> {
    browser.kill('SIGKILL');
    await gone;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  try {
    const port = await eventually(
      async () => {
        if (browser.exitCode !== null) return 'ended';
        return (await readFile(join(folder, 'DevToolsActivePort'), 'utf8')).split('\n')[0];
      },
      { what: 'Chromium to start', within: 30_000 },
    );
    if (port === 'ended') throw new Error(`Chromium (${path}) ended at once. It said: ${said}`);
    const open: Browser['open'] = async (url, screen = null) =>
      talkTo(Number(port), await firstOf(Number(port)), url, screen);
    return { open, stop };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** The first page that there is. */
function firstOf(port: number): Promise<Target> {
  return eventually(
    async () => {
      const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as Target[];
      return targets.find(({ type }) => type === 'page');
    },
    { what: 'a page of Chromium' },
  );
}

/** Speaks the DevTools protocol with a page. */
async function talkTo(port: number, target: Target, url: string, screen: Screen | null): Promise<Page> {
  const { webSocketDebuggerUrl } = target;
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  const answers = new Map<number, (answer: Answer) => void>();
  const events = new EventEmitter();
  const complaints: string[] = [];
  let asked = 0;
  socket.on('message', data => {
    const message = JSON.parse(String(data)) as Answer;
    if (message.id !== undefined) answers.get(message.id)?.(message);
    else events.emit(message.method ?? '', message.params);
    if (COMPLAINTS.has(message.method ?? '')) complaints.push(JSON.stringify(message.params));
    // Whatever the browser asks in its own words, such as whether to leave a page: yes.
    else if (message.method === 'Page.javascriptDialogOpening')
      void send('Page.handleJavaScriptDialog', { accept: true });
  });
  async function send(method: string, params: object = {}): Promise<Answer> {
    const id = ++asked;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    answers.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    return promise;
  }

  const page: Page = {
    complaints,
    async evaluate<T>(expression: string) {
      const { result } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (result?.exceptionDetails) throw new Error(JSON.stringify(result.exceptionDetails));
      return result?.result?.value as T;
    },
    async open(url) {
      await send('Page.navigate', { url });
      await eventually(() => page.evaluate(`document.readyState === 'complete' && location.href !== 'about:blank'`), {
        what: `the page ${url}`,
      });
    },
    async tap(selector) {
      const place = await page.evaluate<{ x: number; y: number }>(
        `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
      );
      const touch = { ...place, button: 'left', clickCount: 1 };
      for (const type of ['mousePressed', 'mouseReleased']) await send('Input.dispatchMouseEvent', { ...touch, type });
    },
    async key(name) {
      const key = { key: name, code: name, windowsVirtualKeyCode: KEYS[name], ...(name === 'Enter' && { text: '\r' }) };
      for (const type of ['keyDown', 'keyUp']) await send('Input.dispatchKeyEvent', { ...key, type });
    },
    async write(text) {
      await send('Input.insertText', { text });
    },
    async turnTo({ width, height, scripts, scheme = 'light' }) {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 2, mobile: true });
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
      await send('Emulation.setScriptExecutionDisabled', { value: scripts === 'off' });
    },
    async another(url) {
      const made = await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: 'PUT' });
      return talkTo(port, (await made.json()) as Target, url, screen);
    },
    async close() {
      await send('Page.close');
    },
    async screenshot(quality) {
      const format = quality === undefined ? { format: 'png' } : { format: 'webp', quality };
      const { result } = await send('Page.captureScreenshot', format);
      return Buffer.from(result?.data ?? '', 'base64');
    },
    async ask<T>(method: string, params?: object) {
      const { result, error } = await send(method, params);
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result as T;
    },
    hear(event, heard) {
      events.on(event, heard);
      return () => events.off(event, heard);
    },
  };
  for (const domain of ['Runtime', 'Log', 'Page']) await send(`${domain}.enable`);
  if (screen !== null) await page.turnTo(screen);
  await page.open(url);
  return page;
}

/** As Windows numbers them, which is what the protocol wants. */
const KEYS = { Tab: 9, Enter: 13, Escape: 27, ' ': 32, ArrowDown: 40 } as const;

const COMPLAINTS = new Set(['Runtime.exceptionThrown', 'Runtime.consoleAPICalled', 'Log.entryAdded']);

interface Target {
  type: string;
  webSocketDebuggerUrl: string;
}

interface Answer {
  id?: number;
  method?: string;
  params?: unknown;
  result?: { result?: { value: unknown }; exceptionDetails?: unknown; data?: string };
  error?: { message: string };
}
