import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../../support/wait.ts';
import type { Bench } from '../bench.ts';
import { saveRequests } from '../load/requests.ts';
import { killWithUs } from '../machine/start.ts';
import { alertmanagerProgram } from '../programs.ts';
import { CONTENDERS, type Contender } from './contender.ts';

/** One receiver that tells nobody, so that what is measured is taking alerts in. */
const CONFIG = `route:
  receiver: nobody
receivers:
  - name: nobody
`;

/** The service of the field that many use: it takes alerts in, in memory alone. Throws where it cannot be had. */
export async function startAlertmanager({ postgres, running, generator, connections }: Bench, alerts: number) {
  const { path, env, folder: cwd } = await alertmanagerProgram();
  const { folder } = postgres;
  const config = join(folder, 'alertmanager.yml');
  await writeFile(config, CONFIG);
  const options = [`--config.file=${config}`, `--storage.path=${join(folder, 'alertmanager')}`];
  const places = ['--web.listen-address=127.0.0.1:0', '--cluster.listen-address='];
  const child = spawn(path, [...options, ...places], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  killWithUs(child);
  running.defer(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const url = await whereItListens(createInterface(child.stderr));
  // Nobody reads on, and it must never wait for a reader.
  child.stderr.resume();
  await eventually(async () => (await fetch(`${url}/-/ready`)).ok, { what: 'Alertmanager to be ready' });
  const requests = await saveRequests(
    join(folder, 'alerts.tsv'),
    Array.from({ length: alerts }, (_, n) => ({
      path: '/api/v2/alerts',
      body: JSON.stringify([{ labels: { alertname: 'Trigger', alarm: `alarm-${n}`, mode: 'away' } }]),
    })),
  );
  const contender: Contender = {
    name: 'alertmanager',
    title: CONTENDERS.alertmanager,
    processes: { alertmanager: child.pid! },
    stores: { kind: 'nothing' },
    load: seconds => generator.apply({ url, requests, connections, seconds }),
  };
  return contender;
}

async function whereItListens(lines: AsyncIterable<string>): Promise<string> {
  let last = '';
  for await (const line of lines) {
    const address = /listening.*address=(\S+)/i.exec(line)?.[1];
    if (address !== undefined) return `http://${address}`;
    last = line;
  }
  throw new Error(`Alertmanager ended before it listened: ${last}`);
}
