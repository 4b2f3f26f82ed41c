import type { Command } from 'commander';
import {
  AddNoteResponseSchema,
  HandOverResponseSchema,
  NextStepResponseSchema,
} from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Delivery } from '../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { nextStepIn } from '../../recipes/next-step.ts';
import { CliFault, EXIT } from '../exit.ts';
import { examples } from '../flags.ts';
import { brief, NAMED } from '../named-incident.ts';
import type { Act } from '../session.ts';
import { incidentId } from '../sources.ts';

/** What became of it, for people. */
const SAID: Readonly<Record<string, string>> = {
  stepped: 'The next step was sent',
  no_next_step: 'Nothing was sent: no step is still to come',
  noted: 'Noted',
  too_many_notes: 'Not noted, because it has as many notes as one may have',
  too_many_hand_overs: 'Not handed over, because that was done as often as it may be',
  handed_over: 'Handed over: they are being told now, and nobody has it until they acknowledge',
  already_handed_over: 'Handed over before: they were told, and have not acknowledged yet',
  not_reachable: 'Not handed over, because no message would reach that contact',
  already_acknowledged: 'Already acknowledged',
  already_closed: 'Already closed',
};

/** `tocsin incidents next`, `note` and `hand-over` (DECISIONS.md "Next now, note, hand over"). */
export function addGoingOn(incidents: Command, act: Act): void {
  const who = ['--by <name>', "who does it (the token's label)"] as const;

  const next = incidents.command('next').description('sends the next step of the policy at once');
  next.argument('<incident>', `${NAMED}: its open incident`).option(...who);
  examples(next, 'incidents next house').action(
    act(async (session, { by = '' }: { by?: string }, reference: string) => {
      const id = await incidentId(session.rpc, reference, 'open');
      const { timeline } = await session.rpc.incidents.getIncident({ incidentId: id });
      const { round, step } = nextStepIn<Delivery>(timeline) ?? { round: 0, step: -1 };
      const answer = await session.rpc.incidents.nextStep({ incidentId: id, round, step, by });
      session.answer(NextStepResponseSchema, answer, () => [`${SAID[answer.outcome]}: ${brief(answer.incident!)}.`]);
    }),
  );

  const note = incidents.command('note').description('writes a line in the timeline of an incident');
  note
    .argument('<incident>', `${NAMED}: its newest incident`)
    .argument('<text>', 'the note, at most 500 characters in one line')
    .option(...who);
  examples(note, 'incidents note house "It was the cat" --by Anna').action(
    act(async (session, { by = '' }: { by?: string }, reference: string, text: string) => {
      const id = await incidentId(session.rpc, reference, '');
      const answer = await session.rpc.incidents.addNote({ incidentId: id, text, by });
      session.answer(AddNoteResponseSchema, answer, () => [`${SAID[answer.outcome]}: ${brief(answer.incident!)}.`]);
    }),
  );

  const handOver = incidents.command('hand-over').description('tells another contact at once to take over');
  handOver
    .argument('<incident>', `${NAMED}: its open incident`)
    .argument('<contact>', 'who takes over: id or key of a contact')
    .option(...who);
  examples(handOver, 'incidents hand-over house noah --by Anna').action(
    act(async (session, { by = '' }: { by?: string }, reference: string, contactId: string) => {
      const id = await incidentId(session.rpc, reference, 'open');
      const answer = await session.rpc.incidents.handOver({ incidentId: id, contactId, by });
      if (answer.outcome === 'not_reachable') throw new CliFault(EXIT.refused, `${SAID.not_reachable}: ${contactId}.`);
      session.answer(HandOverResponseSchema, answer, () => [`${SAID[answer.outcome]}: ${brief(answer.incident!)}.`]);
    }),
  );
}
