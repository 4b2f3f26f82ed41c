import type { Command } from 'commander';
import {
  type Carrier,
  CarrierSchema,
  RemoveCarrierResponseSchema,
  SendTestMessageResponseSchema,
  SetCarrierResponseSchema,
  TryCarrierResponseSchema,
} from '../../../gen/tocsin/console/v1/carriers_pb.ts';
import { clean, mismatch, shown } from '../../../services/process/text.ts';
import { CliFault, EXIT, usageFault } from '../exit.ts';
import { examples } from '../flags.ts';
import { PATIENT } from '../rpc.ts';
import type { Act, Session } from '../session.ts';

const NAME = 'its name (carriers list)';
const SETTINGS = 'NAME=value; NAME= takes it away, NAME=- reads it from standard input';

/** `tocsin carriers`: what carries messages (DECISIONS.md "Carriers set up in the console"). For the operator. */
export function addCarriers(program: Command, act: Act): void {
  const carriers = program.command('carriers');

  const list = carriers.command('list').description('lists the carriers: where each is set up, and whether it works');
  examples(list, 'carriers list').action(
    act(async session => {
      const { carriers: items } = await session.rpc.carriers.listCarriers({}, PATIENT);
      session.list(CarrierSchema, { items, nextPageToken: '' }, COLUMNS, 'There are no carriers.');
    }),
  );

  const set = carriers
    .command('set')
    .description('asks a carrier with these settings, and stores them if it accepts; what is not named stays')
    .argument('<name>', NAME)
    .argument('<settings...>', SETTINGS)
    .option('--store-anyway', 'also if it does not accept them, as one that is down for now');
  examples(set, 'carriers set ntfy NTFY_URL=https://ntfy.sh', 'carriers set mail SMTP_URL=- < smtp-url').action(
    act(async (session, { storeAnyway = false }: { storeAnyway?: boolean }, name: string, words: string[]) => {
      const settings = await settingsIn(session, words);
      const { version } = await carrierNamed(session, name);
      const answer = await session.rpc.carriers.setCarrier({ name, settings, version, storeAnyway }, PATIENT);
      const isStored = answer.outcome === 'stored';
      session.answer(SetCarrierResponseSchema, answer, () => [
        ...(answer.problem === '' ? [] : [`${clean(name)} does not accept it: ${clean(answer.problem)}`]),
        isStored ? `${clean(name)} is set up.` : 'Nothing was stored. With --store-anyway it is.',
      ]);
      return isStored ? EXIT.ok : EXIT.refused;
    }),
  );

  const attempt = carriers
    .command('try')
    .description('asks a carrier as it is set up, or with these settings, and stores nothing')
    .argument('<name>', NAME)
    .argument('[settings...]', SETTINGS)
    .option('--to <address>', 'sends a test message there, through it as it is set up')
    .option('--channel <channel>', 'over which channel, where it has several');
  examples(attempt, 'carriers try mail', 'carriers try mail --to you@example.com').action(
    act(async (session, { to, channel = '' }: { to?: string; channel?: string }, name: string, words: string[]) => {
      if (to === undefined) return ask(session, name, words);
      if (words.length > 0) throw usageFault('A message is sent as it is set up: leave --to out, or the settings.');
      const answer = await session.rpc.carriers.sendTestMessage({ name, channel, to }, PATIENT);
      const isSent = answer.outcome === 'sent';
      session.answer(SendTestMessageResponseSchema, answer, () => [
        isSent ? `${clean(name)} took it for ${clean(to)}.` : `It was not sent: ${clean(answer.problem)}`,
      ]);
      return isSent ? EXIT.ok : EXIT.refused;
    }),
  );

  const remove = carriers
    .command('remove')
    .description('removes what is stored for a carrier')
    .argument('<name>', NAME);
  examples(remove, 'carriers remove ntfy').action(
    act(async (session, _options: object, name: string) => {
      const { version } = await carrierNamed(session, name);
      const answer = await session.rpc.carriers.removeCarrier({ name, version });
      session.answer(RemoveCarrierResponseSchema, answer, () => [`${clean(name)} is no longer set up here.`]);
    }),
  );
}

async function ask(session: Session, name: string, words: readonly string[]) {
  const settings = await settingsIn(session, words);
  const answer = await session.rpc.carriers.tryCarrier({ name, settings }, PATIENT);
  session.answer(TryCarrierResponseSchema, answer, () => [
    answer.asked === 'fails'
      ? `${clean(name)} does not accept it: ${clean(answer.problem)}`
      : (SAID[answer.asked] ?? answer.asked),
  ]);
  return answer.asked === 'fails' ? EXIT.refused : EXIT.ok;
}

const SAID: Readonly<Record<string, string>> = {
  answers: 'It answers.',
  not_asked: 'It is not set up, or cannot be asked without sending something.',
};

async function carrierNamed({ rpc }: Session, name: string): Promise<Carrier> {
  const { carriers } = await rpc.carriers.listCarriers({}, PATIENT);
  const found = carriers.find(one => one.name === name);
  if (found !== undefined) return found;
  const names = carriers.map(one => one.name).join(', ');
  throw new CliFault(EXIT.notFound, `There is no carrier ${shown(name)}: name one of ${names}.`);
}

/** A secret on the command line would stand in the list of processes: one value may come from standard input. */
async function settingsIn({ io }: Session, words: readonly string[]): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  for (const word of words) {
    const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(word) ?? [];
    // What is no setting may be a value, and so a secret.
    if (name === undefined || value === undefined) {
      throw usageFault(`A setting ${mismatch('NAME=value, with the name as in the environment', 'something else')}`);
    }
    settings[name] = value;
  }
  const read = Object.keys(settings).filter(name => settings[name] === '-');
  if (read.length > 1) throw usageFault(`Only one of ${read.join(' and ')} can be read from standard input.`);
  if (read.length === 1) settings[read[0]!] = (await io.stdin.readAll()).replace(/\r?\n$/, '');
  return settings;
}

const COLUMNS = [
  ['name', ({ name }: Carrier) => name],
  ['for', ({ channels }: Carrier) => channels.join(', ')],
  ['state', ({ state }: Carrier) => state.replaceAll('_', ' ')],
  ['set in', ({ setIn }: Carrier) => setIn],
  ['settings', ({ settings }: Carrier) => settings.flatMap(one => (one.isSet ? [one.name] : [])).join(', ')],
  ['problem', ({ problem }: Carrier) => clean(problem, 80)],
] as const;
