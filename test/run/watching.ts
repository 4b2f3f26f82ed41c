import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const inRun = (name: string) => new URL(`../../facade/docs/run/${name}`, import.meta.url);

/** The rules as they stand in the repository. */
export const RULES_FILE = inRun('alerts.yml');
export const RULES_TEXT = readFileSync(RULES_FILE, 'utf8');

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

export const RULES: readonly AlertRule[] = (parse(RULES_TEXT) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(
  group => group.rules,
);

/** Every query of the dashboard. */
export const QUERIES: readonly string[] = (
  JSON.parse(readFileSync(inRun('dashboard.json'), 'utf8')) as { panels: { targets: { expr: string }[] }[] }
).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** The selectors of our series in a query: name, and labels that are compared for equality. */
export function selectorsIn(query: string): { name: string; labels: Record<string, string> }[] {
  return [...query.matchAll(/\b((?:tocsin|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name, labels = '']) => ({
    name: name!,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label!, value!])),
  }));
}

/** A series of the text format: name, labels, value. */
export interface Served {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Scrapes an address of the product: every series that it serves. */
export async function scrape(url: string): Promise<Served[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text
    .split('\n')
    .filter(line => /^[a-z]/.test(line))
    .map(line => {
      const at = line.lastIndexOf(' ');
      const [selector] = selectorsIn(line.slice(0, at));
      // The names of the process's own series that are none of ours: `go_…` of others never comes.
      return { name: line.slice(0, at).split('{')[0]!, labels: selector?.labels ?? {}, value: Number(line.slice(at)) };
    });
}

/** The selectors of these queries that nothing served matches, as text. */
export function unserved(queries: readonly string[], served: readonly Served[]): string[] {
  return queries.flatMap(query =>
    selectorsIn(query)
      .filter(
        ({ name, labels }) =>
          !served.some(
            one => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
          ),
      )
      .map(({ name, labels }) => `${name} ${JSON.stringify(labels)} in ${query}`),
  );
}
