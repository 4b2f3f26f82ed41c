import { clean } from '../../services/process/text.ts';
import { CliFault, EXIT } from './exit.ts';
import type { Session } from './session.ts';

/** Questions to a person at a terminal. Each throws an interrupted CliFault if the person leaves with Ctrl-C. */
export interface Ask {
  /** Asks for a line of text; `check` returns what is wrong with it as a sentence, or undefined. */
  text(question: string, options?: TextOptions): Promise<string>;
  choose<Value extends string>(question: string, choices: readonly Choice<Value>[]): Promise<Value>;
  confirm(question: string, proposed: 'yes' | 'no'): Promise<'yes' | 'no'>;
  /** Says what was wrong with an answer. */
  tell(sentence: string): void;
}

export interface TextOptions {
  /** The proposed answer, to be accepted or changed. */
  proposed?: string;
  /** Whether an empty answer is accepted. */
  empty?: 'accepted';
  check?: (text: string) => string | undefined;
}

export interface Choice<Value> {
  value: Value;
  label: string;
  hint?: string;
}

/** The person left. */
export function left(): CliFault {
  return new CliFault(EXIT.interrupted, 'Interrupted.');
}

/** Asks at a terminal with @clack/prompts; it draws on stderr, so that stdout contains only the result. */
export async function askAtTerminal(signal: AbortSignal): Promise<Ask> {
  // Loaded here, so that no other command pays for it.
  const clack = await import('@clack/prompts');
  const common = { signal, output: process.stderr };
  const answered = <Value>(value: Value | symbol): Value => {
    if (clack.isCancel(value)) throw left();
    return value as Value;
  };
  return {
    async text(message, { proposed, empty, check } = {}) {
      const validate = (text: string | undefined) => {
        const given = (text ?? '').trim();
        if (given === '') return empty === 'accepted' ? undefined : 'Please enter something, or press Ctrl-C to quit.';
        return check?.(given);
      };
      const options = { ...common, message, validate, ...(proposed !== undefined && { initialValue: proposed }) };
      return (answered<string | undefined>(await clack.text(options)) ?? '').trim();
    },
    async choose(message, choices) {
      const options = choices.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }));
      return answered(await clack.select<string>({ ...common, message, options })) as never;
    },
    async confirm(message, proposed) {
      const initialValue = proposed === 'yes';
      return answered(await clack.confirm({ ...common, message, initialValue })) ? 'yes' : 'no';
    },
    tell: sentence => clack.log.error(clean(sentence), common),
  };
}

/** Asks for a secret at a terminal, and does not show what is typed. */
export async function askSecretAtTerminal(signal: AbortSignal, message: string): Promise<string> {
  const clack = await import('@clack/prompts');
  const typed = await clack.password({ signal, output: process.stderr, message });
  if (clack.isCancel(typed)) throw left();
  return typed ?? '';
}

/**
 * Returns if the person agrees, `--yes` was given, or nobody can be asked and `unasked` says to go on. Throws a refused
 * CliFault otherwise; nothing was changed then.
 */
export async function agree(
  { io }: Session,
  question: string,
  { yes, unasked }: { yes: boolean | undefined; unasked: 'go on' | 'refuse' },
): Promise<void> {
  if (yes === true) return;
  if (!io.stdin.isTerminal || !io.stderr.isTerminal) {
    if (unasked === 'go on') return;
    throw new CliFault(
      EXIT.refused,
      `${question} There is no terminal to confirm this: pass --yes to do it. Nothing was changed.`,
    );
  }
  const ask = await askAtTerminal(io.signal);
  if ((await ask.confirm(question, 'no')) === 'no') throw new CliFault(EXIT.refused, 'Nothing was changed.');
}
