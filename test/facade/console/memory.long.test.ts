import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { aHouse, DESK, openConsole, shows, text } from './console-rig.ts';

needsChromium();

/** The ids of all incidents that the page still holds anywhere, after its garbage was collected. */
async function incidentsHeld(page: Page): Promise<string[]> {
  const { result } = await page.ask<{ result: Handle }>('Runtime.evaluate', { expression: 'Object.prototype' });
  const { objects } = await page.ask<{ objects: Handle }>('Runtime.queryObjects', {
    prototypeObjectId: result.objectId,
  });
  const held = await page.ask<{ result: { value: string[] } }>('Runtime.callFunctionOn', {
    objectId: objects.objectId,
    functionDeclaration: `function () {
      const incidents = this.filter(one => one.$typeName === 'tocsin.incident.v1.Incident');
      return [...new Set(incidents.map(({ id }) => id))];
    }`,
    returnByValue: true,
  });
  await page.ask('Runtime.releaseObject', { objectId: objects.objectId });
  return held.result.value;
}

/** Something of the page that the DevTools protocol holds for whoever asked. */
interface Handle {
  objectId: string;
}

test('Home, left open through a long night, lets go of what is over', async () => {
  const { world, house, key, url } = await aHouse();
  const page = await openConsole(url, world.operator, DESK);
  await shows(page, 'Latest calls');
  const NIGHT = 8;
  for (let incident = 0; incident < NIGHT; incident++) {
    await world.get(`/v1/alarm/${house}/trigger/away`, key);
    await world.settle();
    await shows(page, 'Next to be alerted');
    await world.get(`/v1/alarm/${house}/clear`, key);
    await world.settle();
    await eventually(async () => !(await text(page)).includes('House is triggered'), { what: 'the clear to be seen' });
  }
  // What is drawn next may still hold the one before.
  expect((await incidentsHeld(page)).length).toBeLessThanOrEqual(2);
}, 120_000);
