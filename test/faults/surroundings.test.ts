import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findEmbedded } from '../../services/embedded/embedded.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { emptyFolder, query } from './embedded-rig.ts';
import { startProduct } from './product.ts';

vi.setConfig({ testTimeout: 120_000 });

/** What machines and containers have in their environment that is not meant for Tocsin. */
const SURROUNDINGS: Readonly<Record<string, Record<string, string>>> = {
  'nobody’s home, and a language that is not installed': {
    HOME: '/nonexistent',
    LANG: 'tr_TR.UTF-8',
    LC_ALL: 'xx_XX.ISO-8859-9',
    TZ: 'Asia/Kathmandu',
    TMPDIR: '/nonexistent',
  },
  'a cluster’s variables of a service named tocsin, and a proxy for everything': {
    TOCSIN_PORT: 'tcp://10.0.0.7:8080',
    TOCSIN_SERVICE_HOST: '10.0.0.7',
    TOCSIN_SERVICE_PORT: '8080',
    TOCSIN_PORT_8080_TCP: 'tcp://10.0.0.7:8080',
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    http_proxy: 'http://127.0.0.1:9',
    PGHOST: '/nonexistent',
    PGUSER: 'somebody',
    PGOPTIONS: '-c search_path=elsewhere',
    NODE_ENV: 'development',
  },
};

test.each(Object.keys(SURROUNDINGS))('%s: it starts, takes a call and tells somebody', async what => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  // As long as a path may be that still holds a socket nowhere: 230 characters, with what people put into names.
  const dataDir = join(await emptyFolder(), `it's a ä % # ${'x'.repeat(150)}`);
  await mkdir(dataDir);
  const settings = { DATA_DIR: dataDir, SMTP_URL: smtp.url, DEMO_EMAIL: 'you@example.com' };
  const product = startProduct({ ...SURROUNDINGS[what], ...settings });
  const { http, apiKey = '' } = await product.ready();
  const headers = { 'x-api-key': apiKey };
  const [alarm] = (await query(
    (await findEmbedded(dataDir))!,
    "SELECT id FROM source WHERE name = 'Try me (live)'",
  )) as { id: string }[];
  for (const verb of ['arm/away', 'trigger']) {
    expect((await fetch(`${http}/v1/alarm/${alarm!.id}/${verb}`, { headers })).status).toBe(202);
  }
  await eventually(() => smtp.mails.some(({ text }) => text?.includes('Try me (live)')), {
    what: 'the mail',
    within: 60_000,
  });
});
