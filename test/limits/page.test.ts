import { expect, test } from 'vitest';
import { limitsPage } from '../support/limits-page.ts';

test('the page of the docs says what the table says', async () => {
  await expect(limitsPage()).toMatchFileSnapshot('../../facade/docs/limits.md');
});
