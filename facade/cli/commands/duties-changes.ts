import type { Command } from 'commander';
import { type Duty, DutySchema, RotateFeedResponseSchema } from '../../../gen/tocsin/console/v1/duties_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { agree } from '../ask.ts';
import { named } from '../duty-words.ts';
import { examples } from '../flags.ts';
import { INSTANT, instant } from '../instant.ts';
import { namesOf } from '../names.ts';
import { type Act, messageJson, type Session } from '../session.ts';

/** What these commands have of the group. */
interface Of {
  duty: string;
  lines(duty: Duty, name: (id: string) => string): readonly string[];
}

interface CoverOptions {
  by: string;
  from?: string;
  until?: string;
  channels?: string;
  note?: string;
}

/** `tocsin duties cover`, `swap` and `feed`. */
export function addDutyChanges(group: Command, act: Act, { duty: dutyArgument, lines }: Of): void {
  async function show(session: Session, duty: Duty, done: string): Promise<void> {
    const ids = duty.except.flatMap(({ contactIds }) => contactIds);
    const name = await namesOf(
      session,
      ids.map(id => ({ kind: 'contact', id })),
    );
    const [first] = duty.except;
    session.value({ duty: messageJson(DutySchema, duty) }, () => [
      session.paint('green', done),
      ...(first === undefined ? [] : lines(duty, name).filter(line => line.startsWith('  except'))),
    ]);
  }

  const cover = group
    .command('cover')
    .description('puts others on duty for some time')
    .argument('<duty>', dutyArgument);
  cover
    .requiredOption('--by <contacts>', 'who covers: ids or keys, with commas')
    .option('--from <time>', `${INSTANT}; without it now`)
    .option('--until <time>', `${INSTANT}; without it until the shift ends`)
    .option(
      '--channels <channels>',
      'over what they are told, with commas; without it those of the hours they stand in for',
    )
    .option('--note <text>', 'why');
  examples(cover, 'duties cover shop-phone --by lea --until 12h --note "Noah is ill"').action(
    act(async (session, options: CoverOptions, dutyId: string) => {
      const [from, until] = [instant(options.from, '--from'), instant(options.until, '--until')];
      const { duty } = await session.rpc.duties.cover({
        dutyId,
        contactIds: named(options.by),
        channels: named(options.channels ?? ''),
        note: options.note ?? '',
        ...(from !== undefined && { from }),
        ...(until !== undefined && { until }),
      });
      await show(session, duty!, `Changed the duty ${clean(duty!.name)}.`);
    }),
  );

  const swap = group.command('swap').description('exchanges two shifts').argument('<duty>', dutyArgument);
  swap
    .option('--at <time>', `in the one shift: ${INSTANT}; without it now`)
    .requiredOption('--with <time>', 'in the other shift: the same')
    .option('--note <text>', 'why');
  examples(swap, 'duties swap shop-phone --at "2026-11-28 12:00" --with "2026-12-05 12:00"').action(
    act(async (session, options: { at?: string; with: string; note?: string }, dutyId: string) => {
      const at = instant(options.at, '--at');
      const withAt = instant(options.with, '--with')!;
      const { duty } = await session.rpc.duties.swap({
        dutyId,
        withAt,
        note: options.note ?? '',
        ...(at !== undefined && { at }),
      });
      await show(session, duty!, `Changed the duty ${clean(duty!.name)}.`);
    }),
  );

  const feed = group
    .command('feed')
    .description('makes the secret address at which others read who is on duty, and ends the one before')
    .argument('<duty>', dutyArgument);
  feed.option('--revoke', 'ends it, and makes none').option('--yes', 'skips the confirmation');
  examples(feed, 'duties feed shop-phone', 'duties feed shop-phone --revoke').action(
    act(async (session, { revoke, yes }: { revoke?: true; yes?: true }, dutyId: string) => {
      const { duty } = await session.rpc.duties.getDuty({ dutyId });
      const name = clean(duty!.name);
      if (duty!.feed === 'on') {
        await agree(session, `End the address of the feed of ${name} that is there?`, { yes, unasked: 'go on' });
      }
      if (revoke) {
        await session.rpc.duties.revokeFeed({ dutyId });
        return void session.value({}, () => [session.paint('green', `The duty ${name} has no feed.`)]);
      }
      const answer = await session.rpc.duties.rotateFeed({ dutyId });
      const address = answer.url === '' ? `/duty/${answer.secret}.ics` : answer.url;
      session.answer(RotateFeedResponseSchema, answer, () => [
        session.paint('green', 'Whoever has this address reads who is on duty. It is shown here and nowhere else:'),
        `  ${address}`,
        `In place of .ics: .txt has the names of those on duty now, .json both.`,
      ]);
    }),
  );
}
