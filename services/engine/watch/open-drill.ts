import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { ChannelKind } from '../../domain/delivery.ts';
import type { Kept } from '../../limits/kept.ts';
import { lockSources, readSources, touchSources } from '../../store/statements/apply.ts';
import { type DrilledContact, drillSource, holdAccount, readPersonToDrill } from '../../store/statements/drill.ts';
import type { WaitingAction } from '../../store/statements/journal.ts';
import type { FoundPolicy } from '../../store/statements/policy.ts';
import { decideWork } from '../apply/decided.ts';
import { type Written, writeDecided } from '../apply/write-decided.ts';

/** What opening a drill needs. */
export interface OpenDrillOn {
  client: PoolClient;
  log: Logger;
  carriers: readonly ChannelKind[];
  kept: Kept;
}

/** Over which channel a drill goes, and over which ones in its place, it among them. */
export interface DrillOver {
  kind: 'over';
  channel: ChannelKind;
  channels: readonly ChannelKind[];
}

/** A drill that was opened; or why not. `busy`: its account or its source is being written, and the next try may find it free. */
export type OpenedDrill =
  | { kind: 'opened'; incidentId: string; channel: ChannelKind; written: Written }
  | { kind: 'busy' }
  | { kind: 'no_contact' }
  | { kind: 'no_location' };

/**
 * Opens a drill of one person over one channel: an incident like any other, decided and written by the rules of all, of a
 * hidden source that nothing else fires (DECISIONS.md "Drill"). One that is still open makes room. `judge` says over what
 * it goes, or what speaks against it, by what is known once nobody else can open one. Call it inside a transaction; hand
 * what was written to the engine after the commit.
 */
export async function openDrill<Against extends { kind: string }>(
  { client, ...on }: OpenDrillOn,
  { accountId, contactId }: { accountId: string; contactId: string },
  actor: string,
  judge: (person: DrilledContact) => DrillOver | Against,
): Promise<OpenedDrill | Exclude<Against, DrillOver>> {
  if ((await holdAccount(client, accountId)) === 'busy') return { kind: 'busy' };
  const source = await drillSource(client, accountId, contactId);
  const locked = source === null ? new Map() : await lockSources(client, [source.seq]);
  const person = await readPersonToDrill(client, accountId, contactId);
  if (person === null) return { kind: 'no_contact' };
  if (source === null) return { kind: 'no_location' };
  const [row] = await readSources(client, [source.seq]);
  if (row === undefined || !locked.has(source.seq) || row.queue === 'some') return { kind: 'busy' };
  const over = judge(person);
  if (!isOver(over)) return over as Exclude<Against, DrillOver>;
  const { channel, channels } = over;
  const { contact } = person;
  const addresses = contact.addresses.filter(one => channels.includes(one.channel));
  const policy: FoundPolicy = {
    accountId,
    sourceId: row.id,
    mode: null,
    modeName: null,
    locationName: '',
    locationAddress: '',
    policy: {
      id: row.id,
      name: row.name,
      steps: [{ delayS: 0, contacts: [{ ...contact, addresses, channels: [channel] }] }],
      repeat: 0,
      repeatDelayS: 300,
    },
  };
  const action: WaitingAction = {
    id: source.actionId,
    sourceSeq: source.seq,
    verb: 'trigger',
    mode: null,
    environment: 'drill',
    windowS: 0,
    onlyWhenArmed: false,
    traceId: randomUUID(),
    parentTraceId: null,
    confirmedAt: null,
    keySeq: null,
    acceptedAt: row.now,
    incidentId: null,
    actor,
    via: null,
    contactId: null,
  };
  const planOn = { ...on, policyOf: () => policy };
  const decided = decideWork({ row, ready: [action], upTo: row.now }, planOn, Number.POSITIVE_INFINITY);
  const written = await writeDecided({ ...planOn, client, folds: {}, settle: async () => {} }, [decided]);
  await touchSources(client, [source.seq]);
  const incidentId = decided.decision.outcomes[0]?.incidentId ?? null;
  if (incidentId === null) throw new Error(`The drill of ${contactId} opened no incident.`);
  return { kind: 'opened', incidentId, channel, written };
}

function isOver(judged: { kind: string }): judged is DrillOver {
  return judged.kind === 'over';
}
