import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** What may follow a path of commands. */
interface Place {
  /** The commands so far, separated by a blank; empty if none yet. */
  path: string;
  /** Commands and flags. */
  words: string[];
}

/**
 * Returns the lines that make a shell complete the commands and flags of `program`. Complete in themselves, without
 * calling the program, because a person who presses the tab key does not want to wait. Names of an account's things are
 * not completed.
 */
export function completionScript(shell: Shell, program: Command): string {
  const places = placesOf(program, []);
  if (shell === 'fish') return fish(places);
  const zsh = '#compdef tocsin\nautoload -U +X bashcompinit && bashcompinit\n';
  return `${shell === 'zsh' ? zsh : ''}${bash(places)}`;
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const flags = command.options.filter(option => !option.hidden).map(({ long, short }) => long ?? short ?? '');
  const global = command.parent === null ? [] : ['--json'];
  const names = command.commands.map(inner => inner.name());
  return [
    { path: path.join(' '), words: [...names, ...flags, ...global, '--help'] },
    ...command.commands.flatMap(inner => placesOf(inner, [...path, inner.name()])),
  ];
}

/** Names and flags are letters, digits and hyphens, so they need no quotes. */
function bash(places: readonly Place[]): string {
  const known = places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `"${path}"`)
    .join('|');
  const cases = places.map(({ path, words }) => `    "${path}") words="${words.join(' ')}" ;;`).join('\n');
  return `_tocsin() {
  local path="" word words="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case "\${path:+$path }$word" in
      ${known}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tocsin tocsin
`;
}

function fish(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const lines = places.map(
    ({ path, words }) => `complete -c tocsin -n "test (__tocsin_path) = '${path}'" -a '${words.join(' ')}'`,
  );
  return `function __tocsin_path
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l longer (string trim "$path $word")
    contains -- "$longer" ${known.join(' ')}; and set path $longer
  end
  echo "$path"
end
${lines.join('\n')}
`;
}
