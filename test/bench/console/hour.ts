import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '../../support/browser.ts';
import { eventually } from '../../support/wait.ts';
import type { Ground } from '../bench.ts';
import { median } from '../numbers.ts';
import { IS_LIVE, type Looked, openAt } from './looked.ts';

/** What Home keeps while things happen, after its garbage was collected: medians of the halves of the time. */
export interface Hour {
  changes: number;
  seconds: number;
  /** How many calls the page made meanwhile. */
  asked: number;
  /** Bytes of the heap of its scripts. */
  heap: Halves;
  /** Nodes of its document, those included that something still holds. */
  nodes: Halves;
}

export interface Halves {
  first: number;
  second: number;
}

/** How often it is looked at. */
const LOOKS = 40;

/** Looks that do not count: the first ones fill what is kept on purpose. */
const FIRST_LOOKS = 4;

/** Shows Home an hour of changes, one a second, as much faster as `speed` says. */
export async function measureHour(
  { progress }: Ground,
  { page, url, alarms }: Looked,
  { changes, speed }: { changes: number; speed: number },
): Promise<Hour> {
  const { identifier } = await page.ask<{ identifier: string }>('Page.addScriptToEvaluateOnNewDocument', {
    source: fastMotion(speed),
  });
  await openAt(page, url, IS_LIVE);
  const began = performance.now();
  const heaps: number[] = [];
  const nodes: number[] = [];
  const asked: number[] = [];
  const everySoMany = Math.max(1, Math.floor(changes / LOOKS));
  for (let change = 0; change < changes; change++) {
    const { id, apiKey } = alarms[Math.floor(change / 2) % alarms.length]!;
    const verb = change % 2 === 0 ? 'trigger/away' : 'clear';
    const { status } = await fetch(`${url}/v1/alarm/${id}/${verb}`, { headers: { 'x-api-key': apiKey } });
    if (status !== 202) throw new Error(`A change was refused: ${status}.`);
    await sleep(Math.max(0, began + ((change + 1) * 1_000) / speed - performance.now()));
    if (change % everySoMany !== 0) continue;
    progress('showing Home an hour of changes', `${Math.round((100 * change) / changes)} %`);
    const look = await lookAt(page);
    heaps.push(look.heap);
    nodes.push(look.nodes);
    asked.push(look.asked);
  }
  const seconds = (performance.now() - began) / 1_000;
  await eventually(() => page.evaluate<boolean>(IS_LIVE), { what: 'Home to be up to date at the end of it' });
  await page.ask('Page.removeScriptToEvaluateOnNewDocument', { identifier });
  return { changes, seconds, asked: asked.at(-1)!, heap: halves(heaps), nodes: halves(nodes) };
}

async function lookAt(page: Page): Promise<{ heap: number; nodes: number; asked: number }> {
  await page.ask('HeapProfiler.collectGarbage');
  const { usedSize: heap } = await page.ask<{ usedSize: number }>('Runtime.getHeapUsage');
  const { nodes } = await page.ask<{ nodes: number }>('Memory.getDOMCounters');
  return { heap, nodes, asked: await page.evaluate<number>('asked') };
}

function halves(all: readonly number[]): Halves {
  const counting = all.slice(FIRST_LOOKS);
  const middle = Math.ceil(counting.length / 2);
  return { first: median(counting.slice(0, middle)), second: median(counting.slice(middle)) };
}

/**
 * Runs in the page before its own scripts: what it does by the clock it does as much more often, so that it redraws as often as in an
 * hour. Limits of time stay as they are.
 */
function fastMotion(speed: number): string {
  return `
    window.asked = 0;
    const { setTimeout, setInterval, fetch } = window;
    window.setTimeout = (act, ms = 0, ...more) => setTimeout(act, ms <= 500 ? ms / ${speed} : ms, ...more);
    window.setInterval = (act, ms = 0, ...more) => setInterval(act, ms / ${speed}, ...more);
    window.fetch = (...how) => {
      asked += 1;
      return fetch(...how);
    };
  `;
}
