import pg from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import { newId } from '../../../services/store/id.ts';
import { dropDatabase, makeDatabase } from '../../support/database.ts';
import { startNatsServer } from '../../support/nats-server.ts';
import type { Neighbour } from '../../support/neighbour.ts';
import { type Smtp, startSmtp } from '../../support/smtp.ts';
import { ownPort } from '../cluster/ports.ts';
import { type Product, startProduct } from '../product.ts';

/** Which version a process is of: this one, as it stands here, or the made-up next one. */
export type Version = 'this' | 'next';

/** A process that is ready. */
export interface Part {
  version: Version;
  /** Of services the RPC port, of a facade its door. */
  url: string;
  /** SIGTERM, as each step of an upgrade ends with. It has to end as it should. */
  stop(): Promise<void>;
}

/** One database, one nats-server and one mail server, which processes of both versions share. */
export interface Rolling {
  operator: string;
  smtp: Smtp;
  /** What a process of services is started with. */
  settings: Record<string, string>;
  services(version: Version): Promise<Part>;
  facade(version: Version, of: Part): Promise<Part>;
  rows<Row extends Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** What all processes, ended ones too, said of trouble. */
  said(): string;
}

const OPERATOR = 'tcn_the-operators-token-in-these-tests';
const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64), CONSOLE_TOKEN: OPERATOR };

/** Starts what all share; processes are started one after the other, as an upgrade does. All of it ends with the test. */
export async function startRolling(next: Pick<Neighbour, 'folder'>): Promise<Rolling> {
  const postgresUrl = inject('postgresUrl');
  const name = `rolling_${newId()}`;
  const DATABASE_URL = await makeDatabase(postgresUrl, { name, from: 'template0' });
  onTestFinished(() => dropDatabase(postgresUrl, name));
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
  onTestFinished(() => pool.end());
  const [nats, smtp] = await Promise.all([startNatsServer(), startSmtp()]);
  onTestFinished(async () => void (await Promise.all([nats.stop(), smtp.stop()])));

  const all: Product[] = [];
  const start = async (version: Version, script: 'services' | 'facade', settings: Record<string, string>) => {
    const product = startProduct(
      { NATS_URL: nats.url, ...settings },
      { script, ...(version === 'next' && { folder: next.folder }) },
    );
    all.push(product);
    const ready = await product.ready();
    return {
      ready,
      async stop() {
        product.signal('SIGTERM');
        expect(await product.ended()).toBe(0);
      },
    };
  };
  const settings = { ...SECRETS, DATABASE_URL, SMTP_URL: smtp.url, CONTACT_VERIFICATION: 'trusted' };
  return {
    operator: OPERATOR,
    smtp,
    settings,
    async services(version) {
      const { ready, stop } = await start(version, 'services', settings);
      return { version, url: ready.rpc, stop };
    },
    async facade(version, of) {
      const HTTP_PORT = String(await ownPort());
      const { stop } = await start(version, 'facade', { RPC_URL: of.url, HTTP_HOST: '127.0.0.1', HTTP_PORT });
      return { version, url: `http://127.0.0.1:${HTTP_PORT}`, stop };
    },
    rows: async (sql, values = []) => (await pool.query(sql, values)).rows,
    said: () => all.map(product => product.printed().stderr).join(''),
  };
}
