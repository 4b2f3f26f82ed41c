import type { Command } from 'commander';
import { type Alarm, AlarmSchema } from '../../../gen/tocsin/console/v1/alarms_pb.ts';
import { MODES } from '../../../services/process/vocabulary.ts';
import type { Given } from '../change.ts';
import { eitherOr, inTest, keyFlag, nameFlag, repeated, switchedOn, testForFlag, testForS } from '../flags.ts';
import { modeLine, newModes, parseMode, withModes } from '../modes.ts';
import { addResource } from '../resource.ts';
import type { Act } from '../session.ts';
import { facts } from '../table.ts';
import { addDays } from './source-days.ts';

interface Options {
  name?: string;
  key?: string;
  location?: string;
  live?: true;
  test?: true;
  testFor?: string;
  enable?: true;
  disable?: true;
  onlyWhenArmed?: boolean;
  clearOnDisarm?: boolean;
  mode?: string[];
  removeMode?: string[];
  force?: true;
}

/** `tocsin alarms` (SPEC.md 2). A new one gets the safe choice for each absent flag, and the answer says which. */
export function addAlarms(program: Command, act: Act): void {
  const group = addResource(program, act, {
    one: 'alarm',
    command: 'alarms',
    member: 'alarm',
    schema: AlarmSchema,
    example: 'house',
    createExample: '--name House --location home --mode away:policy=family,window=30s --mode night:policy=all',
    updateExample: 'house --live --mode night:policy=family',
    first: 'alarms create --name House --location home',
    columns: [
      ['key', ({ key }) => key],
      ['name', ({ name }) => name],
      ['runs', runs],
      ['armed', ({ armedMode }) => armedMode],
      ['modes', ({ modes }) => modes.map(({ id, policyId }) => (policyId === '' ? `(${id})` : id)).join(' ')],
      ['id', ({ id }) => id],
    ],
    lines,
    refersTo: ({ locationId, modes }) => [
      { kind: 'location', id: locationId },
      ...modes.map(({ policyId }) => ({ kind: 'policy' as const, id: policyId })),
    ],
    flags,
    created,
    changed: (options: Options, read) => ({
      ...common(options),
      onlyWhenArmed: options.onlyWhenArmed,
      clearOnDisarm: options.clearOnDisarm,
      modes:
        options.mode === undefined && options.removeMode === undefined
          ? undefined
          : withModes(read.modes, (options.mode ?? []).map(parseMode), options.removeMode ?? []),
    }),
    get: async (rpc, alarmId) => (await rpc.alarms.getAlarm({ alarmId })).alarm!,
    listFlags: command => command.option('--location <location>', 'only those at this location: its id or key'),
    async list(rpc, page, { location = '' }) {
      const { alarms, nextPageToken } = await rpc.alarms.listAlarms({ ...page, locationId: location });
      return { items: alarms, nextPageToken };
    },
    async create(rpc, fields) {
      const { alarm, findings } = await rpc.alarms.createAlarm({ alarm: fields });
      return { thing: alarm!, findings };
    },
    async update(rpc, wanted, paths, { force = false }) {
      const answer = await rpc.alarms.updateAlarm({ alarm: wanted, updateMask: { paths }, force });
      return { thing: answer.alarm!, findings: answer.findings };
    },
    remove: (rpc, alarmId, version) => rpc.alarms.deleteAlarm({ alarmId, version }),
  });
  addDays(group, act, {
    one: 'alarm',
    example: 'house',
    idOf: async (rpc, alarmId) => (await rpc.alarms.getAlarm({ alarmId })).alarm!.id,
  });
}

function common({ name, key, location, test, testFor, live, disable, enable }: Options) {
  const runs = { test: switchedOn(test, live), testForS: testForS(testFor), disabled: switchedOn(disable, enable) };
  return { name, key, locationId: location, ...runs };
}

/** DECISIONS.md "Default of only-trigger-when-armed", "Clear on disarm", "False-alarm window". */
function created(options: Options) {
  const { modes, proposedWindow } = newModes((options.mode ?? []).map(parseMode));
  const { onlyWhenArmed = true, clearOnDisarm = true } = options;
  const { test = true, disabled = false, key = '', ...rest } = definedOnly(common(options));
  const proposals = [
    ...(options.onlyWhenArmed === undefined ? ['only when armed (--no-only-when-armed)'] : []),
    ...(options.clearOnDisarm === undefined ? ['clear on disarm (--no-clear-on-disarm)'] : []),
    ...(proposedWindow === 'proposed' ? ['a window of 30s in away (--mode away:window=0)'] : []),
  ];
  return {
    fields: { ...rest, key, test, disabled, onlyWhenArmed, clearOnDisarm, modes },
    notes: proposals.length === 0 ? [] : [`Proposed by this command: ${proposals.join(', ')}.`],
  };
}

function flags(command: Command, use: 'create' | 'update'): Command {
  const isNew = use === 'create';
  nameFlag(command, use).addOption(keyFlag());
  const location = command.createOption('--location <location>', 'where it is: id or key of a location');
  command.addOption(location.makeOptionMandatory(isNew));
  eitherOr(
    command,
    ['--live', 'triggers alert people'],
    ['--test', `triggers are recorded and alert nobody${isNew ? ' (how a new alarm begins)' : ''}`],
  );
  command.addOption(testForFlag());
  eitherOr(command, ['--disable', 'every call answers 404'], ['--enable', 'can be called']);
  command
    .option('--only-when-armed', `a trigger while disarmed answers 404${isNew ? ' (proposed)' : ''}`)
    .option('--no-only-when-armed', 'a trigger fires whether armed or not')
    .option('--clear-on-disarm', `a disarm ends the open incident${isNew ? ' (proposed)' : ''}`)
    .option('--no-clear-on-disarm', 'a disarm leaves the open incident alone')
    .addOption(repeated('--mode <mode>', `${MODES.join(', ')}, then policy=, window=, name=: ${isNew ? NEW : OLD}`));
  if (isNew) return command;
  return command
    .addOption(repeated('--remove-mode <mode>', 'deletes this mode'))
    .option('--force', 'also deletes the mode that the alarm is armed in, and leaves modes without their policies');
}

const NEW = 'it gets those given, or all four; away proposes window=30s. Repeatable';
const OLD = 'only what is named changes, policy= unbinds. Repeatable';

function runs({ test, disabled, deactivated }: Alarm): string {
  if (deactivated) return 'not (plan)';
  if (disabled) return 'not (disabled)';
  return test ? 'in test' : 'live';
}

function lines(alarm: Alarm, name: (id: string) => string): string[] {
  return [
    ...facts([
      ['Name', alarm.name],
      ['Key', alarm.key],
      ['Id', alarm.id],
      ['Location', name(alarm.locationId)],
      ['Runs', alarm.test && !alarm.disabled && !alarm.deactivated ? inTest(alarm.testUntil) : runs(alarm)],
      ['Armed', alarm.armedMode],
      ['Trigger', alarm.onlyWhenArmed ? 'only when armed' : 'armed or not'],
      ['Disarm', alarm.clearOnDisarm ? 'ends the open incident' : 'leaves the open incident alone'],
      ['Version', String(alarm.version)],
    ]),
    ...alarm.modes.map(mode => `  ${modeLine(mode, name)}`),
  ];
}

function definedOnly<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
