import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import '../../services/changes/nats.ts';
import { renderMarkdown } from '../../facade/markdown.ts';
import { promtool } from '../support/prometheus.ts';
import { startWorld } from '../support/world.ts';
import { QUERIES, RULES, RULES_FILE, type Served, scrape, selectorsIn, unserved } from './watching.ts';

const PAGE = readFileSync(new URL('../../facade/docs/watching.md', import.meta.url), 'utf8');
const OPERATING = readFileSync(new URL('../../facade/docs/operating.md', import.meta.url), 'utf8');

test('a product that has just started serves every series of every rule and panel, those with labels at 0', async () => {
  const world = await startWorld();
  await world.services.measure();
  const served = await scrape(world.url);
  expect(QUERIES.length).toBeGreaterThan(15);
  expect(unserved([...RULES.map(({ expr }) => expr), ...QUERIES], served)).toEqual([]);
  for (const query of QUERIES) expect(selectorsIn(query).length, query).toBeGreaterThan(0);
});

test('each rule says what is wrong, what to do, and where that stands; the page has a section for each and no other', () => {
  const { headings } = renderMarkdown(PAGE, { linkTo: href => href });
  for (const { alert, labels, annotations } of RULES) {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.summary, alert).toMatch(/\.$|\)\.$/);
    expect(annotations.description.length, alert).toBeGreaterThan(20);
    expect(annotations.runbook_url).toBe(`http://localhost:8080/docs/watching#${alert.toLowerCase()}`);
  }
  const sections = headings.filter(({ depth }) => depth === 3).map(({ text }) => text);
  expect(sections).toEqual(RULES.map(({ alert }) => alert));
});

test('what the table of figures tells to alert on has a rule, and what a rule goes by stands in that table', () => {
  const rows = OPERATING.slice(OPERATING.indexOf('| Metric |'))
    .split('\n')
    .filter(line => line.startsWith('| `'));
  const toWatch = rows.filter(row => row.split('|')[3]!.trim() !== '').map(row => /`(\w+)`/.exec(row)![1]!);
  const watched = RULES.flatMap(({ expr }) => selectorsIn(expr).map(({ name }) => name));
  expect(toWatch.filter(name => !watched.includes(name))).toEqual([]);
  const named = rows.flatMap(row => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  expect(watched.map(name => name.replace(/_count$/, '')).filter(name => !named.includes(name))).toEqual([]);
});

/** What makes each rule fire: how the series that it goes by move, one value every 15 s, the first five minutes as they were. */
const MOVES: Readonly<
  Record<string, { of: string; labels?: Record<string, string>; to: string; more?: [string, string]; after?: string }>
> = {
  TocsinAway: { of: 'up', to: '1x20 0x20' },
  TocsinCallsUnavailable: { of: 'tocsin_calls_total', labels: { outcome: 'unavailable' }, to: '0x20 1x20' },
  TocsinDatabaseSilent: { of: 'tocsin_vitals_age_seconds', to: '9x20 61x20' },
  TocsinCallsWait: { of: 'tocsin_oldest_unapplied_seconds', to: '0x20 31x20' },
  TocsinWatchmanFails: { of: 'tocsin_watch_faults', labels: { fault: 'beat' }, to: '0x20 1x20' },
  TocsinWatchmanLate: { of: 'tocsin_watch_age_seconds', to: '9x20 91x20' },
  TocsinHeartbeatLost: {
    of: 'tocsin_heartbeats_total',
    labels: { said: 'well', became: 'lost' },
    to: '0x20 1+1x20',
  },
  TocsinOwnWayFails: { of: 'tocsin_http_own_way', to: '1x20 0x20' },
  TocsinClockSet: { of: 'tocsin_clock_steps_total', labels: { direction: 'back' }, to: '0x20 1x20' },
  TocsinDatabaseWentBack: { of: 'tocsin_calls_stored_again_total', to: '0x20 435x20' },
  TocsinCallsGivenUp: { of: 'tocsin_calls_given_up_total', to: '0x20 1x20' },
  TocsinMessagesWait: { of: 'tocsin_delivery_oldest_due_seconds', to: '0x20 31x20' },
  TocsinStepsLate: { of: 'tocsin_steps_late_total', to: '0x20 1x20' },
  TocsinStepsMissed: { of: 'tocsin_steps_missed_total', to: '0x20 1x20' },
  TocsinCarrierFaults: {
    of: 'tocsin_carrier_faults_total',
    labels: { channel: 'text', kind: 'temporary_fault' },
    to: '0x20 1+1x20',
    more: ['tocsin_send_seconds_count', '0+1x40'],
  },
  TocsinCarrierStoodBy: {
    of: 'tocsin_carrier_stood_by_total',
    labels: { channel: 'text' },
    to: '0x20 1x20',
  },
  TocsinSpendCeiling: { of: 'tocsin_spend_ceiling_total', labels: { by: 'over_ceiling' }, to: '0x20 1x20' },
  TocsinSnapshotHeld: { of: 'tocsin_oldest_snapshot_seconds', to: '0x20 301x20' },
  TocsinConnectionsShort: {
    of: 'tocsin_database_connections',
    labels: { pool: 'accepting', state: 'waiting' },
    to: '0x20 3x20',
  },
  TocsinNatsAway: { of: 'tocsin_nats_connected', to: '1x20 0x20' },
  TocsinBackupFailed: { of: 'tocsin_backup_failures_total', to: '0x20 1x20' },
  // The time of promtool begins in 1970.
  TocsinBackupOld: { of: 'tocsin_backup_last_success_timestamp_seconds', to: '0x20 -172800x200', after: '40m' },
};

/** Before anything moves, and when each rule has to fire. */
const BEFORE = '4m';
const AFTER = '8m';

const SERIES = { job: 'tocsin', instance: 'a:8080' };

function written({ name, labels }: Pick<Served, 'name' | 'labels'>): string {
  const all = Object.entries({ ...labels, ...SERIES }).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${all.join(',')}}`;
}

test('promtool takes the rules; none fires on what a product really serves, and each when its own figure moves', async () => {
  expect(Object.keys(MOVES).toSorted()).toEqual(RULES.map(({ alert }) => alert).toSorted());
  const world = await startWorld();
  await world.services.measure();
  const watched = new Set(RULES.flatMap(({ expr }) => selectorsIn(expr).map(({ name }) => name)));
  // promtool reads no NaN, as where no NATS is used.
  const scraped = (await scrape(world.url)).filter(({ name, value }) => watched.has(name) && !Number.isNaN(value));
  const needed: Served[] = [...scraped, { name: 'up', labels: {}, value: 1 }];
  const still = (one: Served) => ({ series: written(one), values: `${one.value.toFixed(3)}x40` });
  const quiet = {
    interval: '15s',
    input_series: needed.map(still),
    alert_rule_test: RULES.map(({ alert }) => ({ eval_time: AFTER, alertname: alert, exp_alerts: [] })),
  };
  const firing = RULES.map(({ alert, labels, annotations }) => {
    const { of, labels: moved = {}, to, more, after = AFTER } = MOVES[alert]!;
    const isMoved = ({ name, labels: has }: Served) =>
      name === of && Object.entries(moved).every(([label, value]) => has[label] === value);
    const isMore = ({ name, labels: has }: Served) => name === more?.[0] && has.channel === moved.channel;
    // What is not there where nobody uses it (NATS) is moved all the same.
    const there = needed.some(isMoved) ? needed : [...needed, { name: of, labels: moved, value: 0 }];
    const { outcome: _, kind: __, by: ___, ...kept } = moved;
    const expected = {
      exp_labels: { ...labels, ...kept, ...SERIES },
      exp_annotations: {
        ...annotations,
        summary: annotations.summary.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_all, label) => moved[label] ?? ''),
      },
    };
    return {
      interval: '15s',
      input_series: there.map(one =>
        isMoved(one)
          ? { series: written(one), values: to }
          : isMore(one)
            ? { series: written(one), values: more![1] }
            : still(one),
      ),
      alert_rule_test: [
        { eval_time: BEFORE, alertname: alert, exp_alerts: [] },
        { eval_time: after, alertname: alert, exp_alerts: [expected] },
        ...RULES.filter(other => other.alert !== alert).map(other => ({
          eval_time: AFTER,
          alertname: other.alert,
          exp_alerts: [],
        })),
      ],
    };
  });

  const folder = await mkdtemp(join(tmpdir(), 'tocsin-rules-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'test.yml');
  const rules = fileURLToPath(RULES_FILE);
  await writeFile(file, stringify({ rule_files: [rules], evaluation_interval: '15s', tests: [quiet, ...firing] }));
  expect(await promtool('check', 'rules', rules)).toContain(`${RULES.length} rules found`);
  expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
});
