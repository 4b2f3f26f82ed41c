import type { CallWords, ExplainedCall } from './owner/types.ts';
import type { OwnerWords } from './owner/words.ts';

/** Says what became of a call and what to do about it, in sentences for the owner of the account. */
export function explainCall({ calls }: OwnerWords, call: ExplainedCall): CallWords {
  const said = calls[call.outcome];
  return typeof said === 'function' ? said(call) : said;
}
