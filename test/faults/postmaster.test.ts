import { expect, test } from 'vitest';
import { eventually } from '../support/wait.ts';
import { emptyFolder, kill, serverPid } from './embedded-rig.ts';
import { call, startProduct } from './product.ts';

test('embedded PostgreSQL that dies under the living product comes back: calls are 503 until then, and none is lost', async () => {
  const dataDir = await emptyFolder();
  const product = startProduct({ DATA_DIR: dataDir });
  const ready = await product.ready();
  const headers = { 'x-api-key': ready.apiKey ?? '' };
  const describe = await fetch(`${ready.http}/v1/integration/describe`, { headers });
  const { data } = (await describe.json()) as { data: { locations: { alarms: { id: string }[] }[] } };
  const alarm = data.locations[0]!.alarms[0]!.id;
  expect(await call(ready, `alarm/${alarm}/arm/night`)).toBe(202);

  await kill(await serverPid(dataDir));
  const statuses: number[] = [];
  await eventually(
    async () => {
      statuses.push(await call(ready, `alarm/${alarm}/trigger`));
      return statuses.at(-1) === 202;
    },
    { what: 'a call to be accepted again', within: 40_000 },
  );
  expect(new Set(statuses)).toEqual(new Set([503, 202]));

  await eventually(
    async () => {
      const state = await fetch(`${ready.http}/v1/integration/state`, { headers });
      return (await state.text()).includes(`{"id":"${alarm}","state":"triggered"}`);
    },
    { what: 'the arm and the trigger to be applied' },
  );
}, 90_000);
