import type { Command } from 'commander';
import { type PanicButton, PanicButtonSchema } from '../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { eitherOr, inTest, keyFlag, nameFlag, switchedOn, testForFlag, testForS } from '../flags.ts';
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
  response?: string;
  responseText?: string;
  policy?: string;
}

/** `tocsin panic-buttons`: sources that are always on (SPEC.md 2). */
export function addPanicButtons(program: Command, act: Act): void {
  const group = addResource(program, act, {
    one: 'panic button',
    command: 'panic-buttons',
    member: 'panicButton',
    schema: PanicButtonSchema,
    example: 'bedside',
    createExample: '--name Bedside --location home --response medical --policy family',
    updateExample: 'bedside --live',
    first: 'panic-buttons create --help',
    columns: [
      ['key', ({ key }) => key],
      ['name', ({ name }) => name],
      ['runs', runs],
      ['response', ({ responseKind }) => responseKind],
      ['policy', ({ policyId }) => (policyId === '' ? 'none' : 'bound')],
      ['id', ({ id }) => id],
    ],
    lines,
    refersTo: ({ locationId, policyId }) => [
      { kind: 'location', id: locationId },
      { kind: 'policy', id: policyId },
    ],
    flags,
    created: (options: Options) => ({
      fields: {
        name: options.name!,
        key: options.key ?? '',
        locationId: options.location!,
        test: switchedOn(options.test, options.live) ?? true,
        testForS: testForS(options.testFor) ?? 0,
        disabled: switchedOn(options.disable, options.enable) ?? false,
        responseKind: options.response!,
        responseText: options.responseText ?? '',
        policyId: options.policy ?? '',
      },
      notes: [],
    }),
    changed: options => ({
      name: options.name,
      key: options.key,
      locationId: options.location,
      test: switchedOn(options.test, options.live),
      testForS: testForS(options.testFor),
      disabled: switchedOn(options.disable, options.enable),
      responseKind: options.response,
      // The new response has words of its own, or none.
      responseText: options.responseText ?? (options.response === undefined ? undefined : ''),
      policyId: options.policy,
    }),
    get: async (rpc, panicButtonId) => (await rpc.panicButtons.getPanicButton({ panicButtonId })).panicButton!,
    listFlags: command => command.option('--location <location>', 'only those at this location: its id or key'),
    async list(rpc, page, { location = '' }) {
      const { panicButtons, nextPageToken } = await rpc.panicButtons.listPanicButtons({
        ...page,
        locationId: location,
      });
      return { items: panicButtons, nextPageToken };
    },
    async create(rpc, fields) {
      const { panicButton, findings } = await rpc.panicButtons.createPanicButton({ panicButton: fields });
      return { thing: panicButton!, findings };
    },
    async update(rpc, wanted, paths) {
      const answer = await rpc.panicButtons.updatePanicButton({ panicButton: wanted, updateMask: { paths } });
      return { thing: answer.panicButton!, findings: answer.findings };
    },
    remove: (rpc, panicButtonId, version) => rpc.panicButtons.deletePanicButton({ panicButtonId, version }),
  });
  addDays(group, act, {
    one: 'panic button',
    example: 'bedside',
    idOf: async (rpc, panicButtonId) => (await rpc.panicButtons.getPanicButton({ panicButtonId })).panicButton!.id,
  });
}

function flags(command: Command, use: 'create' | 'update'): Command {
  const isNew = use === 'create';
  nameFlag(command, use).addOption(keyFlag());
  const location = command.createOption('--location <location>', 'where it is: id or key of a location');
  const response = command.createOption(
    '--response <kind>',
    'what it asks for: medical, fire, intruder, duress or other',
  );
  command.addOption(location.makeOptionMandatory(isNew)).addOption(response.makeOptionMandatory(isNew));
  command.option(
    '--response-text <text>',
    'with --response other: what it asks for, at most 40 characters, shown and spoken',
  );
  command.option('--policy <policy>', 'the escalation policy that it runs: id or key; "" for none');
  eitherOr(
    command,
    ['--live', 'triggers alert people'],
    ['--test', `triggers are recorded and alert nobody${isNew ? ' (how a new panic button begins)' : ''}`],
  );
  command.addOption(testForFlag());
  return eitherOr(command, ['--disable', 'every call answers 404'], ['--enable', 'can be called']);
}

function runs({ test, disabled, deactivated }: PanicButton): string {
  if (deactivated) return 'not (plan)';
  if (disabled) return 'not (disabled)';
  return test ? 'in test' : 'live';
}

function lines(button: PanicButton, name: (id: string) => string): string[] {
  return facts([
    ['Name', button.name],
    ['Key', button.key],
    ['Id', button.id],
    ['Location', name(button.locationId)],
    ['Runs', button.test && !button.disabled && !button.deactivated ? inTest(button.testUntil) : runs(button)],
    [
      'Response',
      button.responseText === '' ? button.responseKind : `${button.responseKind}: ${clean(button.responseText)}`,
    ],
    ['Policy', button.policyId === '' ? 'none, alerts nobody' : name(button.policyId)],
    ['Version', String(button.version)],
  ]);
}
