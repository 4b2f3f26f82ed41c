import { AsyncLocalStorage } from 'node:async_hooks';
import type { HandlerContext } from '@connectrpc/connect';
import { en } from '../words/en.ts';
import { languageFor } from '../words/language.ts';
import type { OwnerWords } from '../words/owner/words.ts';
import type { Words } from '../words/types.ts';
import { sentWith } from './direct-context.ts';

const reading = new AsyncLocalStorage<Words>();

/**
 * Answers a call in the language of its reader (DECISIONS.md "Language of answers"): what is said meanwhile is said in that of the
 * metadata `accept-language`. English where there is none, as with machines and on the command line.
 */
export function inLanguageOf<T>(context: HandlerContext, answer: () => T): T {
  return inLanguage(sentWith(context, 'accept-language'), answer);
}

/** The same for a locale (BCP 47) or a whole `accept-language`, of which the first counts; null: English. */
export function inLanguage<T>(locale: string | null, answer: () => T): T {
  if (locale === null) return answer();
  return reading.run(languageFor(locale.split(/[,;]/, 1)[0]!.trim()).words, answer);
}

/** The same for a stream: every answer of it is made in that language. */
export async function* streamInLanguageOf<T>(context: HandlerContext, answers: AsyncIterable<T>): AsyncGenerator<T> {
  const stream = answers[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inLanguageOf(context, () => stream.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await stream.return?.();
  }
}

/** Returns the language of whoever reads the answer that is being made. */
export function readersLanguage(): string {
  return reading.getStore()?.language ?? en.language;
}

/** Returns what is said to whoever reads the answer that is being made. */
export function say(): OwnerWords {
  return (reading.getStore() ?? en).owner;
}
