import type { Finding } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import type { Colour } from './io.ts';
import type { Session } from './session.ts';
import { clean } from './text.ts';

const COLOURS: Readonly<Record<string, Colour>> = { blocks: 'red', warns: 'yellow', notes: 'dim' };

/** What stands against sources being ready, a problem and its fix each. */
export function findingLines(session: Session, findings: readonly Finding[]): string[] {
  return findings.flatMap(({ severity, sourceName, mode, problem, fix }) => [
    `${session.paint(COLOURS[severity] ?? 'dim', severity.padEnd(6))}  ${clean(sourceName)}${mode === '' ? '' : `, ${mode}`}: ${clean(problem)}`,
    ...(fix === '' ? [] : [`        ${clean(fix)}`]),
  ]);
}

/** The same below a thing that was made or changed; nothing where nothing was found. */
export function remainingLines(session: Session, findings: readonly Finding[]): string[] {
  return findings.length === 0 ? [] : ['', 'Still to do:', ...findingLines(session, findings)];
}
