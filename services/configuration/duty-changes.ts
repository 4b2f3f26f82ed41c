import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { DutySchema, DutyService } from '../../gen/tocsin/console/v1/duties_pb.ts';
import { wallFrom } from '../domain/duty.ts';
import { channelsOfSpan, shiftAt, spanIn } from '../domain/duty-shifts.ts';
import { wallAt } from '../domain/zone-clock.ts';
import type { ChannelKind } from '../process/vocabulary.ts';
import { toWall } from '../process/wall-clock.ts';
import { timeFilter } from '../rpc/fields.ts';
import { say } from '../rpc/reader.ts';
import { Duty } from '../store/entities/duty.ts';
import { randomText } from '../store/id.ts';
import type { OpenAccount } from './change.ts';
import { type ConsoleOn, changing } from './console.ts';
import { checked } from './crud.ts';
import { FEED_SECRET, feedDigest } from './duty-feed.ts';
import { editOf } from './edit.ts';
import { invalidField } from './errors.ts';
import { thingNamed } from './no-such.ts';
import { planOf } from './plan-coverage.ts';
import type { Stored } from './resource.ts';
import { type DutyDoc, duty as resource } from './resources/duty.ts';

/** How long exceptions that are over stay when another one is added, in milliseconds. */
const OVER_MS = 30 * 86_400_000;

type Exception = DutyDoc['except'][number];

/** What changes a duty besides its owner's writing it anew: covers, swaps and the secret of its feed. */
export function createDutyChanges(
  deps: ConsoleOn & { publicUrl(): string | null },
  view: (stored: Stored<DutyDoc>) => MessageInitShape<typeof DutySchema>,
): Pick<ServiceImpl<typeof DutyService>, 'cover' | 'swap' | 'rotateFeed' | 'revokeFeed'> {
  const change = changing(deps);
  const now = async ({ client, accountId }: OpenAccount) => toWall((await planOf(client, accountId)).now.getTime());

  async function except(open: OpenAccount, before: Stored<DutyDoc>, added: Exception[], at: number) {
    const wall = wallAt(before.doc.timeZone, at);
    const kept = before.doc.except.filter(({ to }) => wallFrom(to, 'end')! > wall - OVER_MS);
    const after = checked(resource, { ...structuredClone(before.doc), except: [...added, ...kept] });
    await open.write([editOf(resource, before.id, before, after)]);
    return { duty: view(await thingNamed(open, resource, before.id)) };
  }

  /** Gives the feed of a duty another secret, or none. */
  async function setFeed(open: OpenAccount, { id, doc }: Stored<DutyDoc>, secret: string | null): Promise<void> {
    const digest = secret === null ? null : feedDigest(secret);
    await open.em.nativeUpdate(Duty, { accountId: open.accountId, id }, { feedDigest: digest });
    const named = { key: doc.key, name: doc.name };
    const action = secret === null ? 'revoke' : 'rotate';
    await open.record({ kind: 'duty', thingId: id, name: doc.name, action, before: named, after: named });
  }

  return {
    cover: change(async ({ dutyId, from, until, contactIds, note, channels: narrowed }, open) => {
      const before = await thingNamed(open, resource, dutyId);
      const at = await now(open);
      const start = timeFilter('from', from)?.getTime() ?? at;
      const end = timeFilter('until', until)?.getTime() ?? shiftAt(before.doc, start).until;
      if (end === null || end <= Math.max(start, at)) {
        throw invalidField('until', say().accepts.aTimeToCome, end === null ? undefined : new Date(end).toISOString());
      }
      const span = spanIn(before.doc.timeZone, start, end);
      const channels = narrowed.length > 0 ? (narrowed as ChannelKind[]) : channelsOfSpan(before.doc, start, end);
      return except(open, before, [{ ...span, who: contactIds, note, channels, cover: true }], at);
    }),
    swap: change(async ({ dutyId, at: asked, withAt, note }, open) => {
      const before = await thingNamed(open, resource, dutyId);
      const at = await now(open);
      const other = timeFilter('withAt', withAt)?.getTime();
      if (other === undefined) throw invalidField('withAt', say().accepts.aTimeToCome, undefined);
      const [one, two] = [timeFilter('at', asked)?.getTime() ?? at, other].map(then => shiftAt(before.doc, then));
      const isSame = String(one!.contacts) === String(two!.contacts);
      if (isSame || one!.until === null || two!.until === null || Math.min(one!.until, two!.until) <= at) {
        throw new ConnectError(say().refusals.noSwap, Code.FailedPrecondition);
      }
      const given = ({ from, until, channels }: typeof one & object, to: typeof one & object): Exception => ({
        ...spanIn(before.doc.timeZone, from, until!),
        who: [...to.contacts],
        note,
        channels: [...(channels ?? [])],
        cover: true,
      });
      return except(open, before, [given(one!, two!), given(two!, one!)], at);
    }),
    rotateFeed: change(async ({ dutyId }, open) => {
      const secret = randomText(FEED_SECRET.alphabet, FEED_SECRET.length);
      await setFeed(open, await thingNamed(open, resource, dutyId), secret);
      const url = deps.publicUrl();
      return { secret, url: url === null ? '' : `${url}/duty/${secret}.ics` };
    }),
    revokeFeed: change(async ({ dutyId }, open) => {
      await setFeed(open, await thingNamed(open, resource, dutyId), null);
      return {};
    }),
  };
}
