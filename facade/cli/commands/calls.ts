import type { Command } from 'commander';
import { FindCallResponseSchema } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { type Call, CallSchema } from '../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { examples } from '../flags.ts';
import { collect, type PageOptions, pageFlags } from '../pages.ts';
import type { Act } from '../session.ts';
import { sourceId } from '../sources.ts';
import { callLines, stamp } from '../timeline.ts';

interface ListOptions extends PageOptions {
  source?: string;
  outcome?: string;
  apiKey?: string;
}

/** `tocsin calls`: the outcome of each call of /v1 (DECISIONS.md "Outcome of each call"). */
export function addCalls(program: Command, act: Act): void {
  const calls = program.command('calls');

  const list = pageFlags(calls.command('list').description('lists calls, newest first; those that wait come first'))
    .option('--source <source>', 'only of this alarm or panic button: id or key')
    .option('--outcome <outcome>', 'only with this outcome, such as held_by_gate')
    .option('--api-key <key>', 'only of this API key: id or key');
  examples(list, 'calls list --source house --limit 20', 'calls list --outcome held_by_gate').action(
    act(async (session, { source, outcome = '', apiKey, ...pages }: ListOptions) => {
      const { rpc } = session;
      const filter = {
        sourceId: source === undefined ? '' : await sourceId(rpc, source),
        outcome,
        keyId: apiKey === undefined ? '' : (await rpc.keys.getApiKey({ apiKeyId: apiKey })).apiKey!.id,
      };
      const page = await collect(pages, async (pageSize, pageToken) => {
        const answer = await rpc.incidents.listCalls({ ...filter, pageSize, pageToken });
        return { items: answer.calls, nextPageToken: answer.nextPageToken };
      });
      session.list(CallSchema, page, COLUMNS, 'There are no such calls.');
    }),
  );

  const find = calls.command('find').description('shows the outcome of one call, or of all with one traceparent');
  find.argument('<traceId>', 'the traceId of its answer, or the traceparent that was sent');
  examples(find, 'calls find 6f1b2c3d-0000-4000-8000-000000000000').action(
    act(async (session, _options: object, traceId: string) => {
      const answer = await session.rpc.incidents.findCall({ traceId });
      session.answer(FindCallResponseSchema, answer, () =>
        answer.calls.flatMap((call, place) => (place === 0 ? callLines(call) : ['', ...callLines(call)])),
      );
    }),
  );
}

const COLUMNS = [
  ['at', ({ at }: Call) => stamp(at)],
  ['did', ({ verb, mode }: Call) => (mode === '' ? verb || 'nothing known' : `${verb} ${mode}`)],
  ['source', ({ sourceName, sourceId: id }: Call) => sourceName || id],
  ['outcome', ({ outcome }: Call) => outcome],
  ['env', ({ environment }: Call) => environment],
  [
    'by',
    ({ actor, keyLabel, silentSince }: Call) => actor || `${keyLabel}${silentSince === undefined ? '' : ', silent'}`,
  ],
  ['trace id', ({ traceId }: Call) => traceId],
] as const;
