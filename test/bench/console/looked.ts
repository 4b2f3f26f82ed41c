import type { Pool } from 'pg';
import { type Page, type Screen, startBrowser } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';
import { eventually } from '../../support/wait.ts';
import type { Ground } from '../bench.ts';
import { openPool } from '../machine/postgres.ts';
import { newSecrets, startStandalone } from '../machine/product.ts';
import { type CalledAlarm, seedProduct } from '../seed.ts';

/** The product, with what a house has, and a browser in which its owner is signed in. */
export interface Looked {
  /** Where it is reached. */
  url: string;
  rpcUrl: string;
  /** The operator's console token. */
  token: string;
  pool: Pool;
  alarms: CalledAlarm[];
  /** The one tab. It stands at Home. */
  page: Page;
}

export const DESK: Screen = { width: 1280, height: 860, scripts: 'on' };

const ALARMS = 20;

/** Starts the product with a house in it, and a browser that is signed in. */
export async function startLooked({ postgres, running, progress }: Ground): Promise<Looked> {
  progress('starting the product and a browser');
  const secrets = newSecrets();
  const databaseUrl = await makeDatabase(postgres.url, { name: 'bench_console', from: 'template0' });
  const { plain } = await seedProduct(databaseUrl, secrets, { plain: ALARMS, gated: 0 });
  const { url, rpcUrl } = await startStandalone(running, databaseUrl, secrets);
  const browser = await startBrowser();
  running.defer(() => browser.stop());
  const page = await browser.open(url, DESK);
  const token = secrets.consoleToken;
  await signIn(page, token);
  return { url, rpcUrl: rpcUrl!, token, pool: openPool(running, databaseUrl), alarms: plain, page };
}

/** Signs in as the operator; the session is the browser's from then on. */
export async function signIn(page: Page, token: string): Promise<void> {
  const status = await page.evaluate<number>(
    `fetch('rpc/tocsin.console.v1.SessionService/SignIn', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
      body: ${JSON.stringify(JSON.stringify({ consoleToken: { token } }))},
    }).then(({ status }) => status)`,
  );
  if (status !== 200) throw new Error(`The bench could not sign in: ${status}.`);
}

/** Opens a screen and waits until an expression holds in it. */
export async function openAt(page: Page, url: string, is: string): Promise<void> {
  await page.open(url);
  await eventually(() => page.evaluate<boolean>(is), { what: `${url} to be shown`, within: 60_000 });
}

/** Whether the page says that it is up to date. */
export const IS_LIVE = `document.querySelector('.freshness .chip.good') !== null`;
