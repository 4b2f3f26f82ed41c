import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import { createHeldTurns } from '../limits/fair.ts';
import { accountAccessOf, withAccess } from '../rpc/auth.ts';
import { say } from '../rpc/reader.ts';
import type { ConsoleOn } from './console.ts';
import { type Applied, applyFile, checkFile, type FileAsked, type Progress } from './file/apply.ts';
import { exportFile } from './file/export.ts';
import { TooManyFiles, tooLarge } from './file/reader.ts';
import { FILE_SCHEMA } from './file/schema.ts';

/** How many changes of an apply are returned. */
const MOST_CHANGES = 1_000;

/** A whole account as one YAML file: checked, applied and exported. The pipeline is in file/. */
export function createConfigurationService(deps: ConsoleOn): ServiceImpl<typeof ConfigurationService> {
  const answer = withAccess(deps.store, deps.pepper);
  const inTurn = createHeldTurns(1);
  return {
    check: answer((request, { accountId }) => checkFile(deps, accountId, checkAsked(request)).catch(busy)),
    async *apply(request, context) {
      const { signal } = context;
      const events = new ReadableStream<Progress | Applied>({
        async start(stream) {
          const access = await accountAccessOf(deps.store, deps.pepper, context);
          const progress = (now: Progress) => {
            // The caller is gone: roll back what is not committed.
            signal.throwIfAborted();
            stream.enqueue(now);
          };
          const applied = await applyFile(deps, access, checkAsked(request), progress).catch(busy);
          if (applied.outcome === 'applied') await deps.askOwners(access.accountId);
          stream.enqueue(applied);
          stream.close();
        },
      });
      for await (const one of events) {
        if ('stage' in one) yield { event: { case: 'progress' as const, value: one } };
        else yield { event: { case: 'result' as const, value: resultOf(one) } };
      }
    },
    export: answer((_request, { accountId }, { signal }) =>
      inTurn(accountId, async () => {
        signal.throwIfAborted();
        return { text: await exportFile(deps, accountId) };
      }),
    ),
    getSchema: answer(() => ({ schema: `${JSON.stringify(FILE_SCHEMA, null, 2)}\n` })),
  };
}

function checkAsked({
  text,
  prune,
  secrets,
}: {
  text: string;
  prune: boolean;
  secrets: Record<string, string>;
}): FileAsked {
  const problem = tooLarge(text);
  if (problem !== null) throw new ConnectError(problem, Code.ResourceExhausted);
  return { text, prune: prune ? 'prune' : 'keep', secrets };
}

function resultOf({ changes, ...result }: Applied) {
  return { ...result, changes: changes.slice(0, MOST_CHANGES), total: changes.length };
}

function busy(error: unknown): never {
  if (!(error instanceof TooManyFiles)) throw error;
  throw new ConnectError(say().refusals.tooManyFiles, Code.Unavailable);
}
