import type { Pool } from 'pg';
import type { Answers } from '../load/load.ts';

/** Everything that the bench puts the same load on, in the order of the table. */
export const CONTENDERS = {
  bare: 'Bare Fastify, answering 202',
  handwritten: 'Hand-written, one INSERT per call',
  jetstream: 'Hand-written, JetStream, not synced',
  pgbench: 'pgbench, one-row durable INSERT',
  alertmanager: 'Alertmanager, one alert per POST',
  spread: 'Tocsin, 200 alarms',
  hot: 'Tocsin, one alarm',
  gated: 'Tocsin, 200 gated and armed alarms',
  gatedHot: 'Tocsin, one gated and armed alarm',
  split: 'Tocsin apart, 200 alarms',
} as const;

export type ContenderName = keyof typeof CONTENDERS;

/** What came of a load; percentiles are null where it does not tell them. */
export type Loaded = Omit<Answers, 'p50' | 'p99'> & { p50: number | null; p99: number | null };

export interface Contender<Name extends string = ContenderName> {
  name: Name;
  /** As tables and faults name it. */
  title: string;
  /** Puts the load on it for so many seconds. */
  load(seconds: number): Promise<Loaded>;
  /** Its own processes by name, without Postgres. */
  processes: Record<string, number>;
  /** Whether it stores calls in the one Postgres. `product`: as Tocsin does, by whose tables they are counted. */
  stores: { kind: 'nothing' } | { kind: 'rows' } | { kind: 'product'; pool: Pool; url: string };
}
