import { readFileSync } from 'node:fs';
import { newOwner } from './console.ts';
import type { World } from './world.ts';

const PAGE = readFileSync(new URL('../../facade/docs/services.md', import.meta.url), 'utf8');

/** The first example in a language on the page for services, with the addresses of this world in it. */
export function snippet(language: string, world: Pick<World, 'url' | 'rpcUrl'>): string {
  const [, code] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? [];
  if (code === undefined) throw new Error(`facade/docs/services.md has no example in ${language}.`);
  return code
    .replaceAll('http://localhost:8080', world.url)
    .replaceAll('http://localhost:8081', world.rpcUrl)
    .replaceAll('localhost:8081', new URL(world.rpcUrl).host);
}

/** An account of its own with a live alarm that fired, and what opens it. */
export async function anOpenIncident(world: World) {
  const { console: own, token } = await newOwner(world);
  const { location } = await own.locations.createLocation({ location: { name: 'Home' } });
  const sourceName = 'Summer house "Süd"';
  const { alarm } = await own.alarms.createAlarm({
    alarm: { name: sourceName, locationId: location!.id, test: false },
  });
  const { secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  await world.get(`/v1/alarm/${alarm!.id}/trigger`, key);
  await world.settle();
  return { token, key, alarmId: alarm!.id, sourceName };
}
