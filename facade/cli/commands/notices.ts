import type { Command } from 'commander';
import { type Notice, type NoticeDelivery, NoticeSchema } from '../../../gen/tocsin/console/v1/notices_pb.ts';
import { examples } from '../flags.ts';
import { collect, type PageOptions, pageFlags } from '../pages.ts';
import type { Act } from '../session.ts';
import { stamp } from '../timeline.ts';

/** `tocsin notices`: what the owners of the account were notified of. */
export function addNotices(program: Command, act: Act): void {
  const notices = program.command('notices');
  const list = pageFlags(
    notices.command('list').description('lists notices, newest first, and who was told over what'),
  );
  examples(list, 'notices list --limit 20').action(
    act(async (session, options: PageOptions) => {
      const page = await collect(options, async (pageSize, pageToken) => {
        const answer = await session.rpc.accounts.listNotices({ pageSize, pageToken });
        return { items: answer.notices, nextPageToken: answer.nextPageToken };
      });
      session.list(NoticeSchema, page, COLUMNS, 'No notices.');
    }),
  );
}

const COLUMNS = [
  ['at', ({ at }: Notice) => stamp(at)],
  ['kind', ({ kind }: Notice) => kind],
  ['state', ({ status, reason }: Notice) => (reason === '' ? status : `${status}: ${reason}`)],
  ['told', ({ deliveries }: Notice) => deliveries.map(deliveryLine).join(', ')],
  ['what', ({ explanation }: Notice) => explanation],
  ['incident', ({ incidentId }: Notice) => incidentId],
] as const;

/** Who was told over what; what did not go out says so. */
function deliveryLine({ name, channel, status }: NoticeDelivery): string {
  const to = `${name === '' ? 'a former owner' : name} (${channel})`;
  return status === 'sent' ? to : `${to} ${status}`;
}
