import type { Command } from 'commander';
import {
  GetDeploymentResponseSchema,
  SetPublicUrlResponseSchema,
} from '../../../gen/tocsin/console/v1/deployment_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { examples } from '../flags.ts';
import { PATIENT } from '../rpc.ts';
import type { Act, Session } from '../session.ts';

/** `tocsin public-url`: where links lead (DECISIONS.md "The public address set in the console"). For the operator. */
export function addPublicUrl(program: Command, act: Act): void {
  const publicUrl = program.command('public-url');

  const show = publicUrl.command('show').description('shows where links in messages lead, and where that is set');
  examples(show, 'public-url show').action(
    act(async session => {
      const here = await session.rpc.deployment.getDeployment({}, PATIENT);
      session.answer(GetDeploymentResponseSchema, here, () => [
        here.publicUrl === '' ? 'Messages carry no link.' : `Links lead to ${clean(here.publicUrl)}.`,
        SET_IN[here.publicUrlSetIn] ?? 'That is where the facade listens: nothing says otherwise.',
        ...here.networkUrls.map(url => `In your own network it may be: ${clean(url)}`),
      ]);
    }),
  );

  const set = publicUrl
    .command('set')
    .description('asks an address whether it answers, and has links lead there if it does')
    .argument('<url>', 'such as https://alarm.example.com')
    .option('--store-anyway', 'also if nothing answers, as where the way is open from outside alone');
  examples(set, 'public-url set https://alarm.example.com').action(
    act((session, { storeAnyway = false }: { storeAnyway?: boolean }, url: string) => store(session, url, storeAnyway)),
  );

  const unset = publicUrl.command('unset').description('has links lead to where the facade listens');
  examples(unset, 'public-url unset').action(act(session => store(session, '', false)));
}

const SET_IN: Readonly<Record<string, string>> = {
  environment: 'That is PUBLIC_URL in the environment.',
  console: 'That was set in the console, or by this command.',
};

async function store({ rpc, answer }: Session, publicUrl: string, storeAnyway: boolean): Promise<ExitCode> {
  const { publicUrlVersion: version } = await rpc.deployment.getDeployment({}, PATIENT);
  const came = await rpc.deployment.setPublicUrl({ publicUrl, version, storeAnyway }, PATIENT);
  const isStored = came.outcome === 'stored';
  const done = publicUrl === '' ? 'Links lead to where the facade listens.' : `Links lead to ${clean(publicUrl)}.`;
  answer(SetPublicUrlResponseSchema, came, () => [
    ...(came.problem === '' ? [] : [clean(came.problem)]),
    isStored ? done : 'Nothing was stored. With --store-anyway it is.',
  ]);
  return isStored ? EXIT.ok : EXIT.refused;
}
