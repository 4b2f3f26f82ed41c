import type { FileApplied, FileToApply } from '../../file-to-apply.ts';
import { type ChangeOn, changeWithin } from '../change.ts';
import { applyWithin, type FileOn } from './apply.ts';
import { readApart } from './reader.ts';
import type { Secrets } from './values.ts';

/** Reads a file for a start, which applies it in the transaction in which it makes the account. */
export async function readToApply(
  on: Pick<ChangeOn, 'seal' | 'bus'> & Pick<FileOn, 'pepper'>,
  text: string,
  secrets: Secrets,
): Promise<FileToApply> {
  const file = await readApart(text, secrets);
  return {
    missingSecrets: file.missingSecrets,
    async applyTo(client, accountId, actor): Promise<FileApplied> {
      // The engine starts later, and looks for itself.
      const within = { ...on, nudge: () => {} };
      // Whoever sets what a start applies runs the deployment.
      const author = { accountId, actor, vouched: 'vouched' } as const;
      const { result, announce } = await changeWithin(client, within, author, open =>
        applyWithin(on, open, file, 'keep', () => {}),
      );
      return { ...result, announce };
    },
  };
}
