import { type Command, Option } from 'commander';
import {
  type Duty,
  DutySchema,
  type DutyShift,
  DutyShiftSchema,
  type DutyWho,
  ListShiftsResponseSchema,
  OnDutyResponseSchema,
} from '../../../gen/tocsin/console/v1/duties_pb.ts';
import { clean } from '../../../services/process/text.ts';
import {
  EXCEPT_FORM,
  type ExceptFields,
  HOURS_FORM,
  type HoursFields,
  parseExcept,
  parseHours,
  parseWho,
  WHO_FORM,
  type WhoFields,
  whoWords,
} from '../duty-words.ts';
import { eitherOr, examples, howNamed, keyFlag, repeated, switchedOn } from '../flags.ts';
import { INSTANT, instant, inZone } from '../instant.ts';
import type { Reference } from '../names.ts';
import { addResource } from '../resource.ts';
import { type Act, messageJson } from '../session.ts';
import { facts, table } from '../table.ts';
import { addDutyChanges } from './duties-changes.ts';

interface Options {
  name?: string;
  key?: string;
  timeZone?: string;
  hours?: string[];
  otherwise?: string;
  except?: string[];
  tell?: true;
  quiet?: true;
}

interface Fields {
  name: string;
  key: string;
  timeZone: string;
  hours: HoursFields[];
  otherwise: WhoFields;
  except: ExceptFields[];
  tell: boolean;
}

const NAMED = howNamed('the duty', 'shop-phone');

/** `tocsin duties`: who is on duty when (DECISIONS.md "On duty"). */
export function addDuties(program: Command, act: Act): void {
  const group = addResource(program, act, {
    one: 'duty',
    command: 'duties',
    member: 'duty',
    schema: DutySchema,
    example: 'shop-phone',
    createExample:
      '--name "Shop phone" --time-zone Europe/Vienna --otherwise anna --hours "sat-sun 00:00-24:00 noah>mia weekly sat 08:00 since 2026-11-28"',
    updateExample: 'shop-phone --otherwise anna,noah',
    first: 'duties create --name "Shop phone" --time-zone Europe/Vienna --otherwise anna',
    columns: [
      ['key', ({ key }) => key],
      ['name', ({ name }) => name],
      ['time zone', ({ timeZone }) => timeZone],
      ['hours', ({ hours }) => String(hours.length)],
      ['exceptions', ({ except }) => (except.length === 0 ? '' : String(except.length))],
      ['feed', ({ feed }) => (feed === 'on' ? 'on' : '')],
      ['id', ({ id }) => id],
    ],
    lines,
    refersTo,
    flags,
    created: (options: Options): { fields: Fields; notes: readonly string[] } => ({
      fields: {
        name: options.name!,
        key: options.key ?? '',
        timeZone: options.timeZone!,
        hours: (options.hours ?? []).map(parseHours),
        otherwise: parseWho(options.otherwise!, '--otherwise'),
        except: (options.except ?? []).map(parseExcept),
        tell: switchedOn(options.tell, options.quiet) ?? true,
      },
      notes: [],
    }),
    changed: options => ({
      name: options.name,
      key: options.key,
      timeZone: options.timeZone,
      hours: options.hours?.filter(said => said !== '').map(parseHours),
      otherwise: options.otherwise === undefined ? undefined : parseWho(options.otherwise, '--otherwise'),
      except: options.except?.filter(said => said !== '').map(parseExcept),
      tell: switchedOn(options.tell, options.quiet),
    }),
    get: async (rpc, dutyId) => (await rpc.duties.getDuty({ dutyId })).duty!,
    async more({ rpc }, { id: dutyId, timeZone }) {
      const { shifts } = await rpc.duties.listShifts({ dutyId });
      return {
        json: { shifts: shifts.map(shift => messageJson(DutyShiftSchema, shift)) },
        lines: ['', `On duty, as clocks show it in ${timeZone}:`, ...shiftLines(shifts, timeZone)],
      };
    },
    async list(rpc, page) {
      const { duties, nextPageToken } = await rpc.duties.listDuties(page);
      return { items: duties, nextPageToken };
    },
    async create(rpc, fields) {
      const { duty, findings } = await rpc.duties.createDuty({ duty: fields });
      return { thing: duty!, findings };
    },
    async update(rpc, wanted, paths) {
      const answer = await rpc.duties.updateDuty({ duty: wanted, updateMask: { paths } });
      return { thing: answer.duty!, findings: answer.findings };
    },
    remove: (rpc, dutyId, version) => rpc.duties.deleteDuty({ dutyId, version }),
  });

  const onDuty = group
    .command('on-duty')
    .description('says who is on duty, now or at a time')
    .argument('<duty>', NAMED);
  onDuty.option('--at <time>', `${INSTANT}; without it now`);
  examples(onDuty, 'duties on-duty shop-phone', 'duties on-duty shop-phone --at "2026-11-28 03:00"').action(
    act(async (session, { at }: { at?: string }, dutyId: string) => {
      const asked = instant(at, '--at');
      const answer = await session.rpc.duties.onDuty({ dutyId, ...(asked !== undefined && { at: asked }) });
      const timeZone = session.format === 'json' ? '' : (await session.rpc.duties.getDuty({ dutyId })).duty!.timeZone;
      session.answer(OnDutyResponseSchema, answer, () => [
        `${namesIn(answer.contacts)}${answer.until === undefined ? '' : ` until ${inZone(answer.until, timeZone)} (${timeZone})`}`,
        ...(answer.channels.length === 0 ? [] : [`told by ${answer.channels.join(', ')} alone`]),
        `by ${becauseOf(answer)}`,
      ]);
    }),
  );

  const shifts = group.command('shifts').description('lists who is on duty when').argument('<duty>', NAMED);
  shifts
    .option('--from <time>', `${INSTANT}; without it now`)
    .option('--days <number>', 'how many, 1 to 60', Number, 14);
  examples(shifts, 'duties shifts shop-phone --days 30').action(
    act(async (session, { from, days }: { from?: string; days: number }, dutyId: string) => {
      const start = instant(from, '--from');
      const answer = await session.rpc.duties.listShifts({ dutyId, days, ...(start !== undefined && { from: start }) });
      const timeZone = session.format === 'json' ? '' : (await session.rpc.duties.getDuty({ dutyId })).duty!.timeZone;
      session.answer(ListShiftsResponseSchema, answer, () => shiftLines(answer.shifts, timeZone));
    }),
  );

  addDutyChanges(group, act, { duty: NAMED, lines });
}

function flags(command: Command, use: 'create' | 'update'): Command {
  const isNew = use === 'create';
  const again = isNew ? 'repeatable, the first that match count' : 'all anew, repeatable; "" for none';
  command
    .addOption(new Option('--name <name>', 'display name, 1 to 100 characters').makeOptionMandatory(isNew))
    .addOption(keyFlag())
    .addOption(
      new Option('--time-zone <zone>', 'in which its times are read, such as Europe/Vienna').makeOptionMandatory(isNew),
    )
    .addOption(
      new Option('--otherwise <who>', `who is on duty when no hours match. ${WHO_FORM}`).makeOptionMandatory(isNew),
    )
    .addOption(repeated('--hours <hours>', `days (or any), from-to and who; ${again}. ${HOURS_FORM}`))
    .addOption(repeated('--except <exception>', `holidays and covers; ${again}. ${EXCEPT_FORM}`));
  return eitherOr(
    command,
    ['--tell', 'whoever comes on duty is told (how a new duty begins)'],
    ['--quiet', 'nobody is told'],
  );
}

function lines(duty: Duty, name: (id: string) => string): string[] {
  const by = (channels: readonly string[]) => (channels.length === 0 ? '' : ` by ${channels.join(', ')} alone`);
  return [
    ...facts([
      ['Name', duty.name],
      ['Key', duty.key],
      ['Id', duty.id],
      ['Time zone', duty.timeZone],
      ['Told', duty.tell === false ? 'nobody' : 'whoever comes on duty'],
      ['Feed', duty.feed === 'on' ? 'on' : 'none'],
      ['Version', String(duty.version)],
    ]),
    ...duty.except.map(
      ({ from, to, contactIds, note, channels }) =>
        `  except ${from} to ${to}: ${contactIds.map(name).join(', ')}${by(channels)}${note === '' ? '' : ` (${clean(note)})`}`,
    ),
    ...duty.hours.map(
      ({ days, from, to, who, channels }) =>
        `  ${days === '' ? 'any' : days} ${from}-${to}: ${whoWords(who, name)}${by(channels)}`,
    ),
    `  otherwise: ${whoWords(duty.otherwise, name)}`,
  ];
}

function refersTo({ hours, otherwise, except }: Duty): Reference[] {
  const of = (who: DutyWho | undefined) => who?.turns?.contactIds ?? who?.contactIds ?? [];
  const ids = [...hours.flatMap(({ who }) => of(who)), ...of(otherwise), ...except.flatMap(one => one.contactIds)];
  return ids.map(id => ({ kind: 'contact', id }));
}

function shiftLines(shifts: readonly DutyShift[], timeZone: string): string[] {
  return table<DutyShift>(
    [
      ['from', ({ from }) => inZone(from!, timeZone)],
      ['until', ({ until }) => (until === undefined ? 'for good' : inZone(until, timeZone))],
      ['who', ({ contacts }) => namesIn(contacts)],
      ['by', becauseOf],
    ],
    shifts,
  );
}

function namesIn(contacts: readonly { name: string; key: string }[]): string {
  return contacts.map(({ name, key }) => `${clean(name)} (${clean(key)})`).join(', ');
}

function becauseOf({ because, entry, note }: Pick<DutyShift, 'because' | 'entry' | 'note'>): string {
  if (because === 'except') return note === '' ? 'an exception' : `an exception: ${clean(note)}`;
  if (because === 'otherwise') return 'what holds otherwise';
  return `${because === 'turns' ? 'turns' : 'hours'}, number ${entry + 1}`;
}
