import { expect, test } from 'vitest';
import { eventually } from './wait.ts';

test('gives the first truthy value', async () => {
  const values = [null, 0, '', undefined, 'here'];
  await expect(eventually(() => values.shift(), { what: 'a value' })).resolves.toBe('here');
});

test('a probe that throws means not yet', async () => {
  let looks = 0;
  const probe = async () => {
    looks += 1;
    if (looks < 3) throw new Error('not there yet');
    return looks;
  };
  await expect(eventually(probe, { what: 'the third look' })).resolves.toBe(3);
});

test.each([
  { probe: () => 0, seen: '0' },
  { probe: async () => null, seen: 'null' },
  {
    probe: () => {
      throw new Error('refused');
    },
    seen: 'an error, refused',
  },
  { probe: () => new Promise<never>(() => {}), seen: 'nothing, the probe never came back' },
])('at the deadline it says what it waited for and saw last: $seen', async ({ probe, seen }) => {
  const waited = eventually<unknown>(probe, { what: 'the mail', within: 30 });
  await expect(waited).rejects.toThrow(`Waited 30 ms for the mail. Last seen: ${seen}.`);
});
