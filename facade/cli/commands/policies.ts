import { type Command, InvalidArgumentError } from 'commander';
import { type Policy, PolicySchema } from '../../../gen/tocsin/console/v1/policies_pb.ts';
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
      steps.flatMap(({ contacts }) => contacts.map(({ contactId }) => ({ kind: 'contact', id: contactId }))),
    flags,
    created: (options: Options) => ({
      fields: {
        name: options.name!,
        key: options.key ?? '',
        steps: options.step!.map(parseStep),
        repeat: options.repeat ?? 0,
        repeatDelayS: delay(options) ?? 0,
      },
      notes: [],
    }),
    changed: options => ({
      name: options.name,
      key: options.key,
      steps: options.step?.map(parseStep),
      repeat: options.repeat,
      repeatDelayS: delay(options),
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

function flags(command: Command, use: 'create' | 'update'): Command {
  const steps = use === 'create' ? 'repeatable, in order' : 'all steps anew, repeatable, in order';
  const step = repeated('--step <step>', `"<time after the step before> <contact>:<channel>,… …"; ${steps}`);
  return nameFlag(command, use)
    .addOption(keyFlag())
    .addOption(step.makeOptionMandatory(use === 'create'))
    .option('--repeat <number>', 'further rounds after the first, 0 to 5', rounds)
    .option('--repeat-delay <duration>', 'time from the last step of a round to the next round, 60s to 24h (5m)');
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
  contacts: { contactId: string; channels: string[] }[];
}

const FORM = 'Write for example --step "5m anna:email,text noah:call".';

/**
 * Parses one `--step` such as `5m anna:email,text noah:call`: when (after the previous step), then whom and how. Throws
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
    return { contactId, channels: channels.split(',') };
  });
  return { delayS, contacts };
}

/** Formats the steps and rounds of a policy; `name` returns the name of a contact. */
function stepLines({ steps, repeat, repeatDelayS }: Policy, name: (id: string) => string): string[] {
  const lines = steps.map(({ delayS, contacts }, index) => {
    const people = contacts.map(({ contactId, channels }) => `${name(contactId)} by ${channels.join(', ')}`).join('; ');
    return `  ${index === 0 ? 'after' : 'then after'} ${formatDuration(delayS)}: ${people}`;
  });
  if (repeat === 0) return lines;
  return [...lines, `  again ${repeat === 1 ? 'once' : `${repeat} times`}, each ${formatDuration(repeatDelayS)} later`];
}
