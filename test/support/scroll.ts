import type { Page } from './browser.ts';

/** What it took to scroll a page from its top to its end. */
export interface Scrolled {
  /** Milliseconds from each frame to the next, as a reader sees them: a processor that does other work besides makes them longer. */
  gaps: number[];
  /** Milliseconds of the processor that each task of the page took: nobody else's work is in them. */
  tasks: number[];
}

/**
 * Opens a page of so many rows with nothing but a name in each, as high as those of a list: what scrolling takes on this machine at
 * this moment whatever is shown.
 */
export async function openBareRows(page: Page, count: number): Promise<void> {
  await page.open('data:text/html,<meta name="viewport" content="width=device-width"><body>');
  await page.evaluate(`document.body.append(...Array.from({ length: ${count} }, (_, n) => {
    const row = document.createElement('div');
    row.style.cssText = 'height: 66px; border-top: 1px solid silver';
    row.textContent = 'Alarm ' + n;
    return row;
  }))`);
}

/** Scrolls a page from its top to its end, `step` pixels in each frame. */
export async function scrollThrough(page: Page, step: number): Promise<Scrolled> {
  const events: TraceEvent[] = [];
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  const deaf = [
    page.hear<{ value: TraceEvent[] }>('Tracing.dataCollected', ({ value }) => events.push(...value)),
    page.hear('Tracing.tracingComplete', () => resolve()),
  ];
  await page.evaluate(`scrollTo(0, 0); new Promise(resolve => setTimeout(resolve, 1_000))`);
  const traceConfig = { includedCategories: ['toplevel'] };
  await page.ask('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  const gaps = await page.evaluate<number[]>(`new Promise(resolve => {
    const gaps = [];
    let last = null;
    const step = now => {
      if (last !== null) gaps.push(now - last);
      last = now;
      scrollBy(0, ${step});
      if (scrollY + innerHeight < document.documentElement.scrollHeight - 10) requestAnimationFrame(step);
      else resolve(gaps);
    };
    requestAnimationFrame(step);
  })`);
  await page.ask('Tracing.end');
  await complete;
  for (const stop of deaf) stop();
  return { gaps, tasks: tasksOf(events) };
}

/** What the page works for a frame, in milliseconds of the processor. */
export function perFrame({ gaps, tasks }: Scrolled): number {
  return tasks.reduce((sum, task) => sum + task, 0) / gaps.length;
}

/** As the browser writes it: microseconds; `tdur` of the processor. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  tdur?: number;
  args: { name?: string };
}

function tasksOf(events: readonly TraceEvent[]): number[] {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const named = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const threads = new Set(named.map(threadOf));
  const tasks = events.filter(event => event.name === 'ThreadControllerImpl::RunTask' && threads.has(threadOf(event)));
  return tasks.map(({ tdur = 0 }) => tdur / 1_000);
}
