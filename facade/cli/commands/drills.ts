import type { Command } from 'commander';
import {
  DrillResponseSchema,
  RehearseResponseSchema,
  StartDrillResponseSchema,
} from '../../../gen/tocsin/console/v1/drills_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { EXIT } from '../exit.ts';
import { examples } from '../flags.ts';
import { roundTrip } from '../reach-checks.ts';
import { PATIENT } from '../rpc.ts';
import type { Act, Session } from '../session.ts';
import { keptLines } from '../text.ts';
import { transcriptLines } from '../transcript.ts';

/** The outcomes of a drill that left. */
const WENT: ReadonlySet<string> = new Set(['sent', 'delivered']);

/** What stands between the person who got the message and an answer of theirs, if anything does. */
async function wayBack({ rpc, io }: Session): Promise<string[]> {
  const checks = await roundTrip(await rpc.deployment.getDeployment({}), io.signal);
  return checks.filter(({ verdict }) => verdict !== 'ok').map(({ found, fix }) => `${found} ${fix}`);
}

/** `tocsin drill` and `tocsin rehearse`: trying it before it is needed. */
export function addDrills(program: Command, act: Act): void {
  const drill = program.command('drill');
  drill
    .argument('<contact>', 'id or key')
    .argument('<channel>', 'text, call, email, push, chat or webhook: one that the contact has')
    .option(
      '--answer',
      'asks for an answer as an alarm does, which proves that they can be reached; does not wait for it',
    );
  examples(drill, 'drill anna email', 'drill anna text --answer').action(
    act(async (session, { answer: asks = false }: { answer?: boolean }, contactId: string, channel: string) => {
      if (asks) {
        const started = await session.rpc.drills.startDrill({ contactId, channel }, PATIENT);
        session.answer(StartDrillResponseSchema, started, () => [
          `A drill is on its way to ${clean(contactId)} by ${clean(channel)}. It waits 24 hours for the answer.`,
          `tocsin contacts show ${clean(contactId)} says when it came, tocsin proofs how soon.`,
        ]);
        return EXIT.ok;
      }
      const answer = await session.rpc.drills.drill({ contactId, channel }, PATIENT);
      const { outcome, detail, keptMessage, fix, tookMs } = answer;
      const went = WENT.has(outcome);
      const colour = went ? 'green' : outcome === 'no_carrier' ? 'yellow' : 'red';
      const way = went && channel !== 'webhook' ? await wayBack(session) : [];
      session.answer(DrillResponseSchema, answer, () => [
        `${session.paint(colour, outcome.replaceAll('_', ' '))} in ${tookMs} ms${detail === '' ? '' : `: ${clean(detail)}`}`,
        ...(fix === '' ? [] : [clean(fix)]),
        ...way,
        ...keptLines(keptMessage),
      ]);
      return went ? EXIT.ok : EXIT.refused;
    }),
  );

  const rehearse = program.command('rehearse');
  rehearse
    .argument('<source>', 'alarm or panic button in test: id or key')
    .option('--mode <mode>', 'home, away, night or vacation (the one that a bare trigger would take)')
    .option('--keep-open', 'leaves the incident open');
  examples(rehearse, 'rehearse house --mode night').action(
    act(async (session, { mode = '', keepOpen = false }: { mode?: string; keepOpen?: boolean }, sourceId: string) => {
      const answer = await session.rpc.drills.rehearse({ sourceId, mode, keepOpen }, PATIENT);
      session.answer(RehearseResponseSchema, answer, () => transcriptLines(answer, keepOpen ? 'open' : 'closed'));
    }),
  );
}
