import type { Finding } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { clean } from '../../services/process/text.ts';
import type { Colour } from './io.ts';
import type { Session } from './session.ts';

const COLOURS: Readonly<Record<string, Colour>> = { blocks: 'red', warns: 'yellow', notes: 'dim' };

/** What stands against sources being ready, a problem and its fix each; what holds for several modes is said once. */
export function findingLines(session: Session, findings: readonly Finding[]): string[] {
  return alike(findings).flatMap(([{ severity, sourceName, problem, fix }, modes]) => [
    `${session.paint(COLOURS[severity] ?? 'dim', severity.padEnd(6))}  ${[clean(sourceName), ...modes].join(', ')}: ${clean(problem)}`,
    ...(fix === '' ? [] : [`        ${clean(fix)}`]),
  ]);
}

/** Findings that differ in their mode alone, together with all the modes. */
function alike(findings: readonly Finding[]): (readonly [Finding, string[]])[] {
  const groups = new Map<string, readonly [Finding, string[]]>();
  for (const finding of findings) {
    const same = JSON.stringify([finding.code, finding.severity, finding.sourceId, finding.problem, finding.fix]);
    const group = groups.get(same) ?? ([finding, []] as const);
    if (finding.mode !== '') group[1].push(finding.mode);
    groups.set(same, group);
  }
  return [...groups.values()];
}

/** The same below a thing that was made or changed; nothing where nothing was found. */
export function remainingLines(session: Session, findings: readonly Finding[]): string[] {
  return findings.length === 0 ? [] : ['', 'Still to do:', ...findingLines(session, findings)];
}
