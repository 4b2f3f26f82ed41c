import type { Finding } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { clean } from '../../services/process/text.ts';
import type { Colour } from './io.ts';
import type { Session } from './session.ts';

const COLOURS: Readonly<Record<string, Colour>> = { blocks: 'red', warns: 'yellow', notes: 'dim' };

/** Formats findings as a problem and its fix each; what applies to several modes is said once. */
export function findingLines(session: Session, findings: readonly Finding[]): string[] {
  return alike(findings).flatMap(([{ severity, sourceName, problem, fix }, modes]) => [
    `${session.paint(COLOURS[severity] ?? 'dim', severity.padEnd(6))}  ${subject(sourceName, modes)}${clean(problem)}`,
    ...(fix === '' ? [] : [`        ${clean(fix)}`]),
  ]);
}

/** Returns what a finding is about, before what it says; nothing if it is the account. */
function subject(sourceName: string, modes: readonly string[]): string {
  return sourceName === '' ? '' : `${[clean(sourceName), ...modes].join(', ')}: `;
}

/** Groups findings that differ only in their mode, with all the modes. */
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

/** The same below a thing that was created or changed; no lines if there are no findings. */
export function remainingLines(session: Session, findings: readonly Finding[]): string[] {
  return findings.length === 0 ? [] : ['', 'Still to do:', ...findingLines(session, findings)];
}
