import { expect, test } from 'vitest';
import { eventually } from '../support/wait.ts';
import { emptyFolder, kill, serverPid } from './embedded-rig.ts';
import { call, startProduct } from './product.ts';

test('embedded PostgreSQL that dies under the living product comes back: until then calls are refused with 503, and none that is accepted is lost', async () => {
  const dataDir = await emptyFolder();
  const product = startProduct({ DATA_DIR: dataDir });
  const ready = await product.ready();
  const headers = { 'x-api-key': ready.apiKey ?? '' };
  const describe = await fetch(`${ready.http}/v1/integration/describe`, { headers });
  const { data } = (await describe.json()) as { data: { locations: { alarms: { id: string }[] }[] } };
  const alarm = data.locations[0]!.alarms[0]!.id;
  expect(await call(ready, `alarm/${alarm}/arm/night`)).toBe(202);

  const killed = await serverPid(dataDir);
  await kill(killed);
  const statuses: number[] = [];
  await eventually(
    async () => {
      // A connection that has not noticed the death of its server may still accept what comes first.
      const isAnother = (await serverPid(dataDir).catch(() => killed)) !== killed;
      statuses.push(await call(ready, `alarm/${alarm}/trigger`));
      return isAnother && statuses.at(-1) === 202;
    },
    { what: 'another server, and a call that it accepts', within: 40_000 },
  );
  expect(statuses.filter(status => status !== 202 && status !== 503)).toEqual([]);

  await eventually(
    async () => {
      const state = await fetch(`${ready.http}/v1/integration/state`, { headers });
      return (await state.text()).includes(`{"id":"${alarm}","state":"triggered"}`);
    },
    { what: 'the arm and the trigger to be applied' },
  );
}, 90_000);
