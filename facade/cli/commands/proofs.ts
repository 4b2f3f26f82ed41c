import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  type ListProofsResponse,
  ListProofsResponseSchema,
  type Proof,
} from '../../../gen/tocsin/console/v1/drills_pb.ts';
import { proofsCsv } from '../../recipes/proofs-csv.ts';
import { examples } from '../flags.ts';
import { PATIENT } from '../rpc.ts';
import type { Act } from '../session.ts';
import { table } from '../table.ts';
import { stamp } from '../timeline.ts';

interface ProofsOptions {
  month?: string;
  csv?: boolean;
}

/** `tocsin proofs`: who was asked to answer in a month, over what, and how soon they did. */
export function addProofs(program: Command, act: Act): void {
  const proofs = program
    .command('proofs')
    .option('--month <month>', 'such as 2026-11, in UTC (this one)')
    .option('--csv', 'as comma-separated values, with the digests that chain the rows');
  examples(proofs, 'proofs', 'proofs --month 2026-11 --csv').action(
    act(async (session, { month = '', csv = false }: ProofsOptions) => {
      const answer = await session.rpc.drills.listProofs({ month }, PATIENT);
      if (csv) session.io.stdout.write(proofsCsv(answer.proofs.map(lineOf)));
      else session.answer(ListProofsResponseSchema, answer, () => linesOf(answer));
    }),
  );
}

function linesOf({ month, chain, proofs, more }: ListProofsResponse): string[] {
  if (proofs.length === 0) return [`Nobody was asked to answer in ${month}.`];
  return [
    ...table(COLUMNS, proofs),
    ...(more ? ['There are more than are shown.'] : []),
    chain === 'whole'
      ? 'Each row carries the digest that follows from the one before.'
      : 'BROKEN: a row was changed or is missing, its digest does not follow from the one before.',
  ];
}

const COLUMNS = [
  ['who', ({ contactName }: Proof) => contactName],
  ['channel', ({ channel }: Proof) => channel],
  ['occasion', ({ occasion }: Proof) => occasion],
  ['asked', ({ askedAt }: Proof) => stamp(askedAt)],
  ['result', ({ kind }: Proof) => kind.replaceAll('_', ' ')],
  ['after', ({ kind, afterS }: Proof) => (kind === 'answered' ? `${afterS} s` : '')],
] as const;

function lineOf(proof: Proof) {
  const iso = (at: Proof['at']) => (at === undefined ? '' : timestampDate(at).toISOString());
  return { ...proof, number: String(proof.number), at: iso(proof.at), askedAt: iso(proof.askedAt) };
}
