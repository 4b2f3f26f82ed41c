import { type Command, InvalidArgumentError } from 'commander';
import { type Policy, type PolicyContact, PolicySchema } from '../../../gen/tocsin/console/v1/policies_pb.ts';
import { shown } from '../../../services/process/text.ts';
import { formatDuration, parseDuration } from '../duration.ts';
import { usageFault } from '../exit.ts';
import { keyFlag, nameFlag, repeated } from '../flags.ts';
import { addResource } from '../resource.ts';
import type { Act } from '../session.ts';
import { facts } from '../table.ts';

interface Options {
  name?: string;
  key?: string;
  step?: string[];
  repeat?: number;
  repeatDelay?: string;
  askAgainAfter?: string;
}

/** `tocsin policies`: who is alerted, when and how (DECISIONS.md "Policy"). */
export function addPolicies(program: Command, act: Act): void {
  addResource(program, act, {
    one: 'policy',
    command: 'policies',
    member: 'policy',
    schema: PolicySchema,
    example: 'family',
    createExample: '--name Family --step "0s anna:email,text" --step "5m noah:call" --repeat 2 --repeat-delay 5m',
    updateExample: 'family --repeat 3',
    first: 'policies create --name Family --step "0s anna:email"',
    columns: [
      ['key', ({ key }) => key],
      ['name', ({ name }) => name],
      ['steps', ({ steps }) => String(steps.length)],
      [
        'again',
        ({ repeat, repeatDelayS }) => (repeat === 0 ? '' : `${repeat} × after ${formatDuration(repeatDelayS)}`),
      ],
      ['id', ({ id }) => id],
    ],
    lines,
    refersTo: ({ steps }) =>
      steps.flatMap(({ contacts }) =>
        contacts.map(({ contactId, dutyId }) =>
          dutyId === '' ? { kind: 'contact', id: contactId } : { kind: 'duty', id: dutyId },
        ),
      ),
    flags,
    created: (options: Options) => ({
      fields: {
        name: options.name!,
        key: options.key ?? '',
        steps: options.step!.map(parseStep),
        repeat: options.repeat ?? 0,
        repeatDelayS: delay(options) ?? 0,
        askAgainAfterS: askAgain(options) ?? 0,
      },
      notes: [],
    }),
    changed: options => ({
      name: options.name,
      key: options.key,
      steps: options.step?.map(parseStep),
      repeat: options.repeat,
      repeatDelayS: delay(options),
      askAgainAfterS: askAgain(options),
    }),
    get: async (rpc, policyId) => (await rpc.policies.getPolicy({ policyId })).policy!,
    async list(rpc, page) {
      const { policies, nextPageToken } = await rpc.policies.listPolicies(page);
      return { items: policies, nextPageToken };
    },
    async create(rpc, fields) {
      const { policy, findings } = await rpc.policies.createPolicy({ policy: fields });
      return { thing: policy!, findings };
    },
    async update(rpc, wanted, paths) {
      const answer = await rpc.policies.updatePolicy({ policy: wanted, updateMask: { paths } });
      return { thing: answer.policy!, findings: answer.findings };
    },
    remove: (rpc, policyId, version) => rpc.policies.deletePolicy({ policyId, version }),
  });
}

function delay({ repeatDelay }: Options): number | undefined {
  return repeatDelay === undefined ? undefined : parseDuration(repeatDelay, '--repeat-delay');
}

function askAgain({ askAgainAfter }: Options): number | undefined {
  if (askAgainAfter === undefined) return undefined;
  return askAgainAfter === 'never' ? 0 : parseDuration(askAgainAfter, '--ask-again-after');
}

function flags(command: Command, use: 'create' | 'update'): Command {
  const steps = use === 'create' ? 'repeatable, in order' : 'all steps anew, repeatable, in order';
  const step = repeated('--step <step>', `"<time after the step before> <contact or @duty>:<channel>,… …"; ${steps}`);
  return nameFlag(command, use)
    .addOption(keyFlag())
    .addOption(step.makeOptionMandatory(use === 'create'))
    .option('--repeat <number>', 'further rounds after the first, 0 to 5', rounds)
    .option('--repeat-delay <duration>', 'time from the last step of a round to the next round, 60s to 24h (5m)')
    .option(
      '--ask-again-after <duration>',
      'how long an acknowledgement holds while the incident is open, 5m to 24h, or never (never)',
    );
}

function rounds(text: string): number {
  if (!/^[0-5]$/.test(text)) throw new InvalidArgumentError('It takes a whole number from 0 to 5.');
  return Number(text);
}

function lines(policy: Policy, name: (id: string) => string): string[] {
  const { id, key, version } = policy;
  return [
    ...facts([
      ['Name', policy.name],
      ['Key', key],
      ['Id', id],
      ['Version', String(version)],
    ]),
    ...stepLines(policy, name),
  ];
}

/** A step as the services accept it. */
interface StepFields {
  delayS: number;
  contacts: { contactId?: string; dutyId?: string; channels: string[] }[];
}

const FORM = 'Write for example --step "5m anna:email,text @shop-phone:call".';

/**
 * Parses one `--step` such as `5m anna:email,text @shop-phone:call`: when (after the previous step), then whom and how, with an @
 * before a duty. Throws
 * a usage fault for what it cannot parse; which contacts and channels exist is for the services to check.
 */
export function parseStep(text: string): StepFields {
  const [delay = '', ...people] = text.split(/\s+/).filter(word => word !== '');
  const delayS = parseDuration(delay, '--step, at its beginning,');
  if (people.length === 0) throw usageFault(`--step names at least one contact, got ${shown(text)}. ${FORM}`);
  const contacts = people.map(person => {
    const [contactId = '', channels = ''] = person.split(/:(.*)/s);
    if (contactId === '' || channels === '') {
      throw usageFault(`--step names a contact and its channels, got ${shown(person)}. ${FORM}`);
    }
    const named = contactId.startsWith('@') ? { dutyId: contactId.slice(1) } : { contactId };
    return { ...named, channels: channels.split(',') };
  });
  return { delayS, contacts };
}

function whom({ contactId, dutyId }: PolicyContact, name: (id: string) => string): string {
  return dutyId === '' ? name(contactId) : `whoever is on duty as ${name(dutyId)}`;
}

/** Formats the steps and rounds of a policy; `name` returns the name of a contact. */
function stepLines({ steps, repeat, repeatDelayS, askAgainAfterS }: Policy, name: (id: string) => string): string[] {
  const lines = steps.map(({ delayS, contacts }, index) => {
    const people = contacts.map(one => `${whom(one, name)} by ${one.channels.join(', ')}`).join('; ');
    return `  ${index === 0 ? 'after' : 'then after'} ${formatDuration(delayS)}: ${people}`;
  });
  const times = repeat === 1 ? 'once' : `${repeat} times`;
  return [
    ...lines,
    ...(repeat === 0 ? [] : [`  again ${times}, each ${formatDuration(repeatDelayS)} later`]),
    ...(askAgainAfterS === 0
      ? []
      : [`  whoever acknowledges is asked again after ${formatDuration(askAgainAfterS)}, while it is open`]),
  ];
}
