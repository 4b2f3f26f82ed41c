import { expect } from 'vitest';
import { aTriggeredHome } from '../rpc/responder/responder-rig.ts';
import type { WorldOptions } from '../support/world.ts';

/** The page of an alarm that Anna and Ben were told of. */
export async function aPage(options: WorldOptions = {}) {
  const home = await aTriggeredHome(options);
  const [annas = '', bens = ''] = await home.tokens();
  const by = async () => (await home.owner.incidents())[0]!.acknowledgedBy;
  return { ...home, annas, bens, by, path: `/i/${annas}`, url: `${home.world.url}/i/${annas}` };
}

/** The answer without what differs by itself. */
export async function whole(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => !/^(date|connection|keep-alive)$/.test(name)),
  );
  return { status: response.status, headers, body: await response.text() };
}

/** Reads a stream of events until the text holds what is wanted. */
export async function eventsOf(url: string, wanted: (text: string) => boolean): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (wanted(text)) break;
  }
  leaving.abort();
  return text;
}
