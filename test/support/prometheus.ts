import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { ownPort } from '../faults/cluster/ports.ts';
import { unpackedFromDebian } from './debian.ts';
import { eventually } from './wait.ts';

const run = promisify(execFile);

/** Debian's Prometheus, unpacked and not installed. */
async function program(name: 'prometheus' | 'promtool'): Promise<string> {
  return join(await unpackedFromDebian('prometheus'), 'usr', 'bin', name);
}

/** Runs promtool and gives what it printed. Throws it where promtool is not content. */
export async function promtool(...command: string[]): Promise<string> {
  const { stdout } = await run(await program('promtool'), command).catch(fault => {
    throw new Error(`${fault.stdout}${fault.stderr}`);
  });
  return stdout;
}

/** An alert as Prometheus has it. */
export interface PrometheusAlert {
  state: 'pending' | 'firing';
  labels: Record<string, string> & { alertname: string };
  annotations: Record<string, string>;
}

/** A real Prometheus that scrapes and evaluates every second. */
export interface Prometheus {
  /** Those that are pending or fire now. */
  alerts(): Promise<PrometheusAlert[]>;
  /** The value of a query now; null if it has none. */
  value(query: string): Promise<number | null>;
  /** Every rule by name, with how its last evaluation went: `ok`, `err` or `unknown`. */
  rules(): Promise<Record<string, string>>;
}

/** Starts one that scrapes these addresses (`host:port`) as the job `tocsin`, with these rules (YAML). It ends with the test. */
export async function startPrometheus(targets: string[], rules: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-prometheus-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const rulesFile = join(folder, 'rules.yml');
  const configFile = join(folder, 'prometheus.yml');
  await writeFile(rulesFile, rules);
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [{ job_name: 'tocsin', static_configs: [{ targets }] }],
  };
  await writeFile(configFile, stringify(config));
  const address = `127.0.0.1:${await ownPort()}`;
  const flags = [`--config.file=${configFile}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const child = spawn(await program('prometheus'), [...flags, `--web.listen-address=${address}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const end = once(child, 'close');
    child.kill('SIGKILL');
    await end;
  });

  async function ask(path: string) {
    const response = await fetch(`http://${address}/api/v1/${path}`);
    return ((await response.json()) as { data: never }).data;
  }
  await eventually(async () => (await fetch(`http://${address}/-/ready`)).ok, {
    what: 'Prometheus to be ready',
    within: 20_000,
  }).catch(() => {
    throw new Error(`Prometheus did not start: ${said}`);
  });
  return {
    async alerts() {
      return ((await ask('alerts')) as { alerts: PrometheusAlert[] }).alerts;
    },
    async value(query) {
      const { result } = (await ask(`query?query=${encodeURIComponent(query)}`)) as {
        result: { value: [number, string] }[];
      };
      return result[0] === undefined ? null : Number(result[0].value[1]);
    },
    async rules() {
      const { groups } = (await ask('rules')) as { groups: { rules: { name: string; health: string }[] }[] };
      return Object.fromEntries(groups.flatMap(group => group.rules.map(({ name, health }) => [name, health])));
    },
  };
}
