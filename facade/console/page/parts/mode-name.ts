import { words } from '../words.ts';

/** What a mode is called: as its owner says, and in the reader's language where it has its English name, as by RPC and by file. */
export function nameOfMode({ id, name }: { id: string; name: string }): string {
  return name.toLowerCase() === id ? (words().modes[id] ?? name) : name;
}

/** What the mode is called in which an alarm is armed. */
export function nameOfArmed({
  modes,
  armedMode,
}: {
  modes: readonly { id: string; name: string }[];
  armedMode: string;
}): string {
  return nameOfMode(modes.find(({ id }) => id === armedMode) ?? { id: armedMode, name: armedMode });
}
