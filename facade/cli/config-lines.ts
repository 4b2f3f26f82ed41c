import type { PlannedChange, Problem } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import { clean } from '../../services/process/text.ts';
import type { Session } from './session.ts';
import { count } from './text.ts';

/** Problems of a file as compilers write them: `file:line:column: sentence`. */
export function problemLines(name: string, problems: readonly Problem[]): string[] {
  return problems.map(({ line, column, field, problem, didYouMean }) => {
    const place = line === 0 ? name : `${name}:${line}:${column}`;
    const meant = didYouMean === '' ? '' : ` Did you mean ${clean(didYouMean)}?`;
    return `${place}: ${field === '' ? '' : `${clean(field)} `}${clean(problem)}${meant}`;
  });
}

const SIGNS: Readonly<Record<string, readonly [string, 'green' | 'yellow' | 'red']>> = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  delete: ['-', 'red'],
};

/** Changes, one a line, with the fields that differ below. */
export function changeLines(session: Session, changes: readonly PlannedChange[]): string[] {
  return changes.flatMap(({ action, kind, key, name, fields }) => {
    const [sign, colour] = SIGNS[action] ?? ['?', 'yellow'];
    return [
      session.paint(colour, `${sign} ${action} ${kind.replace('_', ' ')} ${clean(key)} (${clean(name)})`),
      ...fields.map(({ field, before, after }) => `    ${clean(field)}: ${clean(before)} → ${clean(after)}`),
    ];
  });
}

/** `2 created, 1 updated`; `tense` says whether it happened. */
export function changeSummary(changes: readonly PlannedChange[], tense: 'would be' | 'were'): string {
  const parts = (['create', 'update', 'delete'] as const).flatMap(action => {
    const number = changes.filter(change => change.action === action).length;
    return number === 0 ? [] : [`${number} ${action}d`];
  });
  if (parts.length === 0) return 'Nothing differs: the account is as the file says.';
  return `${count(changes.length, 'thing')} ${changes.length === 1 ? tense.replace('were', 'was') : tense} changed: ${parts.join(', ')}.`;
}
