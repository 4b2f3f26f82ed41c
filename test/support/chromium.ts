import { beforeAll, onTestFinished } from 'vitest';
import { type Page, type Screen, startBrowser } from './browser.ts';
import { chromiumProgram } from './chromium-program.ts';

export type { Page, Screen } from './browser.ts';

/** To be called by every file of tests in a browser: the first time it may have to be downloaded. */
export function needsChromium(): void {
  beforeAll(async () => void (await chromiumProgram()), 300_000);
}

/** Opens a URL in a Chromium of its own, which ends with the test; with `screen`, as a telephone of that size would. */
export async function openPage(
  url: string,
  screen: Screen | null = null,
  flags: readonly string[] = [],
): Promise<Page> {
  const browser = await startBrowser(flags);
  onTestFinished(() => browser.stop());
  return browser.open(url, screen);
}
