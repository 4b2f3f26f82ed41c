import type { Command } from 'commander';
import {
  GetReadinessResponseSchema,
  type PreviewedDelivery,
  type PreviewResponse,
  PreviewResponseSchema,
  type SourceReadiness,
} from '../../../gen/tocsin/console/v1/readiness_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { formatDuration } from '../duration.ts';
import { EXIT } from '../exit.ts';
import { findingLines } from '../findings.ts';
import { examples } from '../flags.ts';
import type { Act, Session } from '../session.ts';
import { count, onDutyAs } from '../text.ts';
import { stamp } from '../timeline.ts';

/** `tocsin readiness` and `tocsin preview`: would it work? They trigger nothing. */
export function addReadiness(program: Command, act: Act): void {
  const readiness = program.command('readiness');
  readiness
    .argument('[source]', 'only this alarm or panic button: id or key')
    .option('--strict', 'exits with 1 if something blocks');
  examples(readiness, 'readiness', 'readiness house --strict').action(
    act(async (session, { strict }: { strict?: true }, source?: string) => {
      const answer = await session.rpc.readiness.getReadiness({ sourceId: source ?? '' });
      session.answer(GetReadinessResponseSchema, answer, () => [
        ...answer.sources.flatMap(source => sourceLines(session, source)),
        ...(answer.firstDaysEnd === undefined
          ? []
          : [`${clean(answer.firstDaysEnd.problem)} ${answer.firstDaysEnd.fix}`]),
        ...findingLines(session, answer.findings),
        `${answer.ready} of ${count(answer.total, 'source')} can alert somebody in every mode.`,
      ]);
      const blocked = answer.sources.some(({ verdict }) => verdict === 'blocks');
      return strict === true && blocked ? EXIT.refused : EXIT.ok;
    }),
  );

  const preview = program.command('preview');
  preview
    .argument('<source>', 'alarm or panic button: id or key')
    .option('--mode <mode>', 'home, away, night or vacation (the one that a bare trigger would take)');
  examples(preview, 'preview house --mode night').action(
    act(async (session, { mode = '' }: { mode?: string }, sourceId: string) => {
      const answer = await session.rpc.readiness.preview({ sourceId, mode });
      session.answer(PreviewResponseSchema, answer, () => previewLines(answer));
    }),
  );
}

function sourceLines(session: Session, { name, key, kind, verdict, findings }: SourceReadiness): string[] {
  const title = `${clean(name)} (${key}), ${kind.replaceAll('_', ' ')}: ${verdict}`;
  return [session.paint('bold', title), ...findingLines(session, findings).map(line => `  ${line}`), ''];
}

const REFUSALS: Readonly<Record<string, string>> = {
  held_by_gate: 'it fires only when armed, and it is disarmed',
  mode_missing: 'the alarm does not have this mode',
  source_disabled: 'it is disabled or deactivated',
};

function previewLines({
  verdict,
  mode,
  environment,
  windowS,
  policyName,
  deliveries,
  escalationEndsS,
  leftOut,
  failing,
}: PreviewResponse): string[] {
  const inMode = mode === '' ? '' : ` in ${mode}`;
  if (verdict === 'folds') {
    return [
      `A trigger${inMode} now would join what is open or waits in its window: counted, and nobody alerted again.`,
    ];
  }
  const refused = `A trigger${inMode} now would be refused (404, ${verdict}): ${REFUSALS[verdict] ?? verdict}.`;
  if (verdict !== 'fires' && verdict !== 'held_by_gate') return [refused];
  const policy = policyName === '' ? 'no policy' : `the policy ${clean(policyName)}`;
  const window = windowS === 0 ? '' : ` after a false-alarm window of ${formatDuration(windowS)}`;
  const fires = `would fire${inMode} as ${environment}, with ${policy}${window}.`;
  return [
    ...(verdict === 'fires' ? [`A trigger now ${fires}`] : [refused, `Once it is armed, one ${fires}`]),
    ...(deliveries.length === 0 ? ['Nobody would be alerted.'] : deliveries.map(deliveryLine)),
    ...(deliveries.length === 0 ? [] : [`The escalation would end after ${formatDuration(escalationEndsS)}.`]),
    ...failing.map(({ channel, since, problem }) => `No ${channel} has left since ${stamp(since)}: ${clean(problem)}.`),
    ...(leftOut === 0
      ? []
      : [`The policy asks for more messages than one incident may have: the rest (${leftOut}) is left out.`]),
  ];
}

function deliveryLine(of: PreviewedDelivery): string {
  const { afterS, round, step, contactName, channel, outcome, insteadOf } = of;
  const place = `step ${step + 1}${round === 0 ? '' : `, round ${round + 1}`}`;
  const instead = insteadOf === '' ? '' : ` instead of ${insteadOf}`;
  const become = outcome === 'sent' ? 'would be sent' : outcome.replaceAll('_', ' ');
  return `  +${formatDuration(afterS).padEnd(8)} ${clean(contactName)}${onDutyAs(of)} by ${channel}${instead} (${place}): ${become}`;
}
