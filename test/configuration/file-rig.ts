import { readFile } from '../../services/configuration/file/read.ts';
import type { Secrets } from '../../services/configuration/file/values.ts';

/** What is wrong, as `line:column field sentence (meant)`. */
export function wrongIn(text: string, secrets: Secrets = {}): string[] {
  return readFile(text, secrets).problems.map(({ line, column, field, problem, didYouMean }) =>
    [`${line}:${column}`, field, problem, didYouMean && `(${didYouMean})`].filter(Boolean).join(' '),
  );
}

/** A file of one contact with these channels. */
export const withChannels = (...channels: string[]) =>
  `version: 1\ncontacts:\n  - key: anna\n    name: Anna\n    channels:\n${channels.map(one => `      - ${one}\n`).join('')}`;
