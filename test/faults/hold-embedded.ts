import { pino } from 'pino';
import { startEmbedded } from '../../services/embedded/embedded.ts';

/*
 * A process that starts embedded PostgreSQL in the folder given and holds it until it is killed. Prints the owner's URL, or in
 * one sentence why not.
 */
const [dataDir = ''] = process.argv.slice(2);
try {
  const postgres = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) });
  console.log(postgres.ownerUrl);
  process.stdin.resume();
} catch (fault) {
  console.log(fault instanceof Error ? `${fault.name}: ${fault.message}` : fault);
  process.exitCode = 1;
}
