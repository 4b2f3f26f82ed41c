import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { consoleOf } from '../support/console.ts';
import { advanceClock } from '../support/database.ts';
import { CONSOLE, PEOPLE, type Person } from '../support/door-alerting.ts';
import { type Call, MODES, type Mode, type Move, NOTE, PLANS, type Settings } from '../support/door-model.ts';
import type { Smtp } from '../support/smtp.ts';
import type { World } from '../support/world.ts';

const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };

/** An account of its own in which a life is lived, and the doors through which machines and people reach it. */
export type House = Awaited<ReturnType<typeof aHouse>>;

export async function aHouse(world: World, smtp: Smtp, { gate, clearOnDisarm, windows, missing, holdsS }: Settings) {
  const owner = await world.account();
  const addressOf = (name: string) => `${name.toLowerCase()}.${owner.accountId}@example.com`;
  const people = new Map<Person, string>();
  for (const name of PEOPLE) {
    const addresses = name === 'Dora' ? { text: '+4366012345678' } : { email: addressOf(name) };
    people.set(name, await owner.contact(name, addresses));
  }
  const policyFor = async (of: Mode | 'button') => {
    const first = PLANS[of].filter(({ round }) => round === 0);
    if (first.length === 0) return {};
    const steps = first.map(({ to, after }, index) => ({
      delayS: (after - (first[index - 1]?.after ?? 0)) / 1_000,
      contacts: [{ contactId: people.get(to)!, channels: ['email' as const] }],
    }));
    const again = PLANS[of].find(({ round }) => round === 1);
    if (again === undefined) return { policyId: await owner.policy(steps) };
    const delayS = (again.after - first.at(-1)!.after - first[0]!.after) / 1_000;
    return { policyId: await owner.policy(steps, { times: PLANS[of].at(-1)!.round, delayS }) };
  };
  const modes: Partial<Record<Mode, { windowS: number; policyId?: string }>> = {};
  for (const mode of MODES) modes[mode] = { windowS: windows[mode], ...(await policyFor(mode)) };
  const alarm = await owner.alarm({ onlyWhenArmed: gate === 'on', clearOnDisarm: clearOnDisarm === 'on', modes });
  const button = await owner.panicButton(await policyFor('button'));
  await world.rows('DELETE FROM mode WHERE source_id = $1 AND id = $2', [alarm, missing]);
  await world.rows('UPDATE policy SET ask_again_after_s = $2 WHERE account_id = $1', [owner.accountId, holdsS ?? 0]);
  const [clock] = await world.rows<{ ms: number }>(
    'SELECT (extract(epoch FROM at) * 1000)::float8 AS ms FROM test_clock',
  );
  const { incidents } = consoleOf(world, world.operator, owner.accountId);
  const mailsTo = (person: Person) => smtp.mails.filter(({ envelope }) => envelope.to.includes(addressOf(person)));
  let setMs = 0;

  /** By the link in the newest mail to somebody. */
  async function answer(person: Person, sourceName: string, verb: 'acknowledge' | 'decline'): Promise<string> {
    const mail = mailsTo(person).findLast(({ subject }) => subject?.includes(sourceName));
    const link = /https?:\/\/[^\s"<>]+\/i\/[\w-]{48}/.exec(mail?.text ?? '')?.[0];
    const { status, headers } = await fetch(`${link}/${verb}`, { method: 'POST', redirect: 'manual', headers: FORM });
    if (status !== 303) throw new Error(`The link of ${person} answers ${status}.`);
    return new URL(headers.get('location')!, link).searchParams.get('said') ?? '';
  }

  return {
    /** Lets the leases of messages that nobody is sending run out. Returns whether there were any. */
    async endLeases(): Promise<'some' | 'none'> {
      const ended = await world.rows(
        "UPDATE delivery SET lease_until = tocsin_now() WHERE account_id = $1 AND status = 'sending' RETURNING id",
        [owner.accountId],
      );
      return ended.length > 0 ? 'some' : 'none';
    },
    async setClock(seconds: number) {
      setMs += seconds * 1_000;
      await advanceClock(world.store.pool, seconds);
      await world.services.keepTime();
    },
    owner,
    alarm,
    button,
    mailsTo,
    key: await owner.key(),
    pathOf: (call: Call) =>
      call.startsWith('panic ') ? `/v1/panic/${button}/${call.slice('panic '.length)}` : `/v1/alarm/${alarm}/${call}`,
    /** Does what people do about the newest incident of a source, which the call `traceId` opened. Returns what it came to; null: only the timeline says so. */
    async move(move: Move, of: 'alarm' | 'button', traceId: string): Promise<string | null> {
      if (move.verb === 'acknowledge' && move.by !== CONSOLE) {
        await answer(move.by, of === 'alarm' ? 'House' : 'Button', 'acknowledge');
        return null;
      }
      if (move.verb === 'decline') return answer(move.by, of === 'alarm' ? 'House' : 'Button', 'decline');
      const { incidents: found } = await incidents.listIncidents({ sourceId: { alarm, button }[of] });
      const about = { incidentId: found.find(incident => incident.traceId === traceId)!.id, by: CONSOLE };
      switch (move.verb) {
        case 'acknowledge':
          return (await incidents.acknowledge(about)).outcome;
        case 'next':
          return (await incidents.nextStep({ ...about, ...move.named })).outcome;
        case 'hand over':
          return (await incidents.handOver({ ...about, contactId: people.get(move.to)! })).outcome;
        case 'note':
          return (await incidents.addNote({ ...about, text: NOTE })).outcome;
        case 'close':
          return (await incidents.close(about)).outcome;
      }
    },
    /** Milliseconds since the life began, however the clock was set since. */
    since: (time: Timestamp | undefined) => (time === undefined ? null : timestampMs(time) - setMs - clock!.ms),
  };
}
