import type { DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Logger } from 'pino';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { isSecret } from '../../services/process/secret-shape.ts';
import type { Caller, Services } from '../client.ts';
import type { Overload } from '../overload.ts';
import { newTraceId } from '../trace.ts';

/** What a key may hear: AuthorizeChannelResponse. */
export interface Grant {
  accountId: string;
  /** The only alarm whose signals may be passed on; empty for all of the account. */
  alarmId: string;
  keyId: string;
  /** Represents this secret of this key. */
  grant: string;
}

export type Verdict =
  | { kind: 'granted'; grant: Grant }
  | { kind: 'refused' }
  /** Nothing is known. Never report it as a refusal, after which clients give up for good (REALTIME.md 3, trap 6). */
  | { kind: 'unavailable' };

/** The client that wants to listen. */
export interface Asker {
  key: string;
  address: string;
  agent: string | undefined;
}

/** Asks the services who may listen to what (SPEC.md 6): the relay itself decides nothing and reads no table. */
export interface Authority {
  /** `channel` empty: asks whether the key may listen at all. */
  authorize(asker: Asker, channel: string): Promise<Verdict>;
  /**
   * Returns the grants that are no longer valid. `alive`: those of them with a socket that was heard lately. Throws what
   * Connect throws.
   */
  ended(grants: string[], alive: ReadonlySet<string>): Promise<string[]>;
}

export function createAuthority(services: Services, overload: Overload, log: Logger): Authority {
  /** The generic call of facade/client.ts with the types of this one method. */
  async function call<Method extends DescMethodUnary>(
    method: Method,
    input: MessageInitShape<Method['input']>,
    caller: Caller,
  ): Promise<MessageShape<Method['output']>> {
    return (await services.call(method, input, caller)).message as MessageShape<Method['output']>;
  }

  return {
    async authorize({ key, address, agent }, channel) {
      if (!isSecret('toc', key)) return { kind: 'refused' };
      if (overload.take('read') === 'shed') return { kind: 'unavailable' };
      try {
        const caller = { apiKey: key, traceId: newTraceId(), address, agent };
        return { kind: 'granted', grant: await call(InventoryService.method.authorizeChannel, { channel }, caller) };
      } catch (error) {
        const { code } = ConnectError.from(error);
        if (code === Code.Unauthenticated || code === Code.PermissionDenied) return { kind: 'refused' };
        log.warn({ err: error }, 'The services could not say what a key may listen to.');
        return { kind: 'unavailable' };
      } finally {
        overload.release();
      }
    },
    async ended(grants, alive) {
      const ended: string[] = [];
      for (let from = 0; from < grants.length; from += MOST_GRANTS) {
        const caller = { apiKey: undefined, traceId: newTraceId(), address: 'relay', agent: undefined };
        const some = grants.slice(from, from + MOST_GRANTS);
        const batch = { grants: some, alive: some.filter(grant => alive.has(grant)) };
        ended.push(...(await call(InventoryService.method.recheckGrants, batch, caller)).ended);
      }
      return ended;
    },
  };
}

/** The most that RecheckGrants accepts at once. */
const MOST_GRANTS = 10_000;
