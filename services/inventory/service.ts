import { create } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { Pool } from 'pg';
import {
  DescribeResponseSchema,
  GetStateResponseSchema,
  type InventoryService,
} from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import type { Bus } from '../changes/bus.ts';
import { shownState } from '../domain/arming.ts';
import { PATH_REFUSALS, TURNED_AWAY } from '../domain/source.ts';
import type { KeyUses } from '../engine/accept/key-uses.ts';
import type { AskedInVain, RefusalLog } from '../engine/accept/refusals.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { apiKeyOf, badKey, clientOf, tooManyCalls, traceOf } from '../rpc/auth.ts';
import type { Lookups } from '../rpc/lookups.ts';
import { createSharedReads, madeOnce } from '../rpc/shared-reads.ts';
import type { KeyDigests } from '../store/key-digests.ts';
import type { KnownKey } from '../store/statements/credential.ts';
import { channelOf, checkChannel, endedGrants, grantOf, type KeyReach, keysAlive } from './change-channel.ts';
import { watchChanges } from './change-watch.ts';
import { createInventories, createStates } from './large-inventories.ts';
import { type DescribedSource, type DescribeRow, type KeyRow, readKey, type StateRow } from './statements.ts';

/** Shape version of describe and state (DECISIONS.md "version"): an addition raises the minor. */
const SHAPE_VERSION = '1.0.0';

/** How long a describe may be cached, and by whom (DECISIONS.md "Caching"). */
const DESCRIBE_CACHE = 'private, max-age=3600';

/** What the inventory service needs. */
export interface InventoryOptions {
  pool: Pool;
  digests: KeyDigests;
  /** Looks up keys: invented ones are refused here, before anything is read for them. */
  keys: Lookups<KnownKey>;
  /** Limits per account. */
  limits: RateLimits;
  keyUses: KeyUses;
  refusals: RefusalLog;
  /** Notifies watchers of changes. */
  bus: Bus;
  /** Where the facade serves realtime, without trailing slash; null if unknown. */
  publicUrl(): string | null;
}

/** What a call asks for, as the call log names it. */
type Asked = Pick<AskedInVain, 'verb' | 'sourceId'>;

/** How many calls one report may stand for. */
const TIMES_MOST = 1_000_000;

const LISTEN: Asked = { verb: 'listen', sourceId: '' };

/** What the paths of /v1 ask for. */
const ASKED_VERBS = ['arm', 'disarm', 'trigger', 'clear', 'describe', 'state'] as const;

/** What a key can see and its state (SPEC.md 4), and what it may listen to (SPEC.md 6). Reads only. */
export function createInventoryService(deps: InventoryOptions): ServiceImpl<typeof InventoryService> {
  const { pool, digests, keys, limits, keyUses, refusals } = deps;
  const shared = <Row>(read: (digest: Buffer) => Promise<Row[]>) =>
    createSharedReads(read, digest => digest.toString('base64'));
  const reads = {
    inventory: shared(createInventories(pool)),
    state: shared(createStates(pool)),
    key: shared(digest => readKey(pool, digest)),
  };

  /** Throws RESOURCE_EXHAUSTED if the account of a call's key has read too much. */
  async function refuseTooMany(context: HandlerContext): Promise<void> {
    const { accountId, id: keyId, fault } = await ownerOf(context);
    // A key that has ended uses up nothing of its account's, and is never told of limits.
    if (fault !== null) return;
    limits.learn({ of: accountId, source: null }, 'good');
    if (limits.take({ of: accountId, callClass: 'read', source: null }) === 'taken') return;
    // Its sender lives all the same (DECISIONS.md "Supervised senders").
    keyUses.note({ accountId, keyId }, () => clientOf(context));
    throw tooManyCalls();
  }

  /** Returns the owner of a call's key, which may just have ended. Throws UNAUTHENTICATED if nobody owns it. */
  async function ownerOf(context: HandlerContext): Promise<KnownKey> {
    const secret = apiKeyOf(context);
    const owner = keys.recall(secret) ?? (await keys.find(secret, clientOf(context).address));
    if (owner === null) throw badKey();
    return owner;
  }

  /**
   * Reads on behalf of the key of a call: key and data in one statement, so that a revoked key sees nothing more.
   * `asked`: what the call log says was asked for, if the key is known and has ended.
   */
  async function readAs<Row extends KeyRow>(
    context: HandlerContext,
    read: (digest: Buffer) => Promise<Row[]>,
    asked: Asked,
  ): Promise<Row[]> {
    await ownerOf(context);
    const secret = apiKeyOf(context);
    const digest = digests.digestOf(secret);
    if (digest === null) throw badKey();
    const rows = await read(digest);
    if (rows.length === 0) {
      digests.markUnknown(digest);
      keys.forget(secret);
      throw badKey();
    }
    const { accountId, keySeq, fault } = rows[0]!;
    if (fault !== null) {
      keys.forget(secret);
      refusals.add({ ...traceOf(context), ...asked }, { accountId, keySeq }, fault);
      throw badKey();
    }
    keyUses.note(rows[0]!, () => clientOf(context));
    return rows;
  }

  /** Returns the key of a call with its grant. Throws UNAUTHENTICATED unless it is valid. */
  async function keyOf(context: HandlerContext, asked: Asked): Promise<KeyRow & { grant: string }> {
    const [key] = await readAs(context, reads.key, asked);
    return { ...key!, grant: grantOf(digests.digestOf(apiKeyOf(context))!) };
  }

  const describing = (publicUrl: string | null) =>
    madeOnce(([seen]: readonly DescribeRow[]) =>
      create(DescribeResponseSchema, {
        version: SHAPE_VERSION,
        locations: byLocation(seen!.sources),
        ...realtimeOf(seen!, publicUrl),
      }),
    );
  let last = { publicUrl: deps.publicUrl(), described: describing(deps.publicUrl()) };

  /** What was made before the operator had links lead elsewhere names the former address. */
  function described(rows: readonly DescribeRow[]) {
    const publicUrl = deps.publicUrl();
    if (publicUrl !== last.publicUrl) last = { publicUrl, described: describing(publicUrl) };
    return last.described(rows);
  }

  const statesOf = madeOnce(([seen]: readonly StateRow[]) => {
    const { ids, armed, open } = seen!;
    const engaged = new Set(open);
    const alarms = ids.map(id => ({ id, state: shownState(armed[id] ?? null, engaged.has(id)) }));
    return create(GetStateResponseSchema, { version: SHAPE_VERSION, alarms });
  });

  return {
    async describe(_request, context) {
      await refuseTooMany(context);
      const rows = await readAs(context, reads.inventory, { verb: 'describe', sourceId: '' });
      context.responseHeader.set('cache-control', DESCRIBE_CACHE);
      return described(rows);
    },
    async getState(_request, context) {
      await refuseTooMany(context);
      const rows = await readAs(context, reads.state, { verb: 'state', sourceId: '' });
      return statesOf(rows);
    },
    async checkKey(request, context) {
      await refuseTooMany(context);
      const refusal = PATH_REFUSALS.find(one => one === request.refusal);
      const asked: Asked = { verb: ASKED_VERBS.find(one => one === request.verb) ?? '', sourceId: request.sourceId };
      const { accountId, keySeq } = await keyOf(context, asked);
      const turnedAway = TURNED_AWAY.find(one => one === request.refusal);
      if (turnedAway !== undefined) {
        const times = Math.min(Math.max(request.times, 1), TIMES_MOST);
        refusals.turnAway({ ...traceOf(context), ...asked }, { accountId, keySeq }, turnedAway, times);
      }
      if (refusal !== undefined) refusals.add({ ...traceOf(context), ...asked }, { accountId, keySeq }, refusal);
      return {};
    },
    async authorizeChannel({ channel }, context) {
      const { accountId, keyId, alarmId, grant } = await keyOf(context, LISTEN);
      checkChannel(channel, { accountId, keyId, alarmId });
      return { accountId, alarmId: alarmId ?? '', keyId, grant };
    },
    async recheckGrants({ grants, alive }) {
      const ended = await endedGrants(pool, grants);
      for (const key of await keysAlive(pool, alive, new Set(ended))) keyUses.answered(key);
      return { ended };
    },
    watchChanges: (_request, context) =>
      watchChanges({ bus: deps.bus, keyOf: asking => keyOf(asking, LISTEN) }, context),
  };
}

/**
 * Returns the instructions for listening (SPEC.md 4 "realtime"): both hosts are the public one (DECISIONS.md "Wire
 * protocol").
 */
function realtimeOf(key: KeyReach, publicUrl: string | null) {
  if (publicUrl === null) return {};
  const { host } = new URL(publicUrl);
  return { realtime: { httpHost: host, realtimeHost: host, channel: channelOf(key) } };
}

function byLocation(seen: readonly DescribedSource[]) {
  return [...Map.groupBy(seen, ({ locationId }) => locationId)].map(([id, sources]) => ({
    id,
    name: sources[0]!.locationName,
    alarms: sources.filter(source => source.kind === 'alarm').map(({ id, name, modes }) => ({ id, name, modes })),
    panicButtons: sources.filter(source => source.kind === 'panic_button').map(({ id, name }) => ({ id, name })),
  }));
}
