import { Counter, Gauge } from 'prom-client';

/* What scheduled backups count, in the default registry beside engine/metrics.ts. */

export const lastBackup = new Gauge({
  name: 'tocsin_backup_last_success_timestamp_seconds',
  help: 'When the latest scheduled backup was made, by whichever process, in seconds since 1970; 0: never, NaN: none is to be.',
});
lastBackup.set(Number.NaN);

export const backupFailures = new Counter({
  name: 'tocsin_backup_failures_total',
  help: 'Scheduled backups that this process could not make.',
});
