const many = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;

/** What the deployment says of itself. */
export const words = {
  verdict: {
    fine: 'Everything works.',
    warns: 'It works, but something needs attention.',
    fails: 'Something does not work.',
  },
  verdicts: { fine: 'OK', warns: 'Check', fails: 'Failed' },
  version: (version: string) => `Tocsin ${version}`,
  deployment: 'This deployment',
  carrier: {
    answers: 'The carrier answers.',
    not_asked: 'Set up; it cannot be asked without sending something.',
  } as Record<string, string>,
  carrierFails: (problem: string) => `The carrier does not work: ${problem}`,
  noCarrier: 'No carrier: messages are kept here and reach nobody.',
  settings: 'Settings:',
  names: (settings: string) => settings,
  last: 'Last message',
  statuses: {
    sent: 'sent',
    delivered: 'arrived',
    failed: 'failed',
    no_carrier: 'no carrier',
    scheduled: 'to be sent',
    sending: 'being sent',
  } as Record<string, string>,
  ready: (ready: number, total: number) =>
    `${ready} of ${many(total, 'alarm or button', 'alarms and buttons')} can alert somebody in every mode.`,
  listener: 'An owner is told when an alarm reaches nobody.',
  readyFix: 'Home says what is in the way.',
  noLinks: 'Messages contain no link to respond with.',
  links: (url: string) => `Links in messages lead to ${url}.`,
  linksHere: (url: string) => `Links in messages lead to ${url}, which opens only on the machine that runs Tocsin.`,
  linksInNetwork: (url: string) =>
    `Links in messages lead to ${url}, which opens only in its own network, and carriers do not reach it.`,
  linksOutsideFix:
    'Set PUBLIC_URL to an address that the whole internet reaches, such as a name behind a proxy or a tunnel.',
  respond: {
    network: 'People can respond only by the link, in the network of PUBLIC_URL.',
    nowhere: 'Nobody can respond: PUBLIC_URL is not reached from outside.',
  } as Record<string, string>,
  linksFix: (example: string) =>
    `Set PUBLIC_URL where Tocsin runs${example === '' ? '.' : `, for example ${example}.`}`,
  bus: {
    local: 'Change signals stay in one process.',
    connected: 'NATS is connected.',
    disconnected: 'NATS is not connected: other processes hear of changes late.',
  } as Record<string, string>,
  busFix: 'Check NATS_URL and the NATS server.',
  database: (span: string) => `The database answered in ${span}.`,
  databaseFix: 'Check the load and the disk of Postgres.',
  clockSet: (direction: 'back' | 'forward', span: string) =>
    `The database's clock was set ${direction} by ${span}. Whatever waited went on waiting for as long as it had to.`,
  clockFix: "Let the database's machine keep its time by NTP, and its hardware clock in UTC.",
  callsLost: (again: number, not: number) =>
    `Another server took over the database and lacked ${many(again + not, 'call', 'calls')} answered 202: ${again} stored again, ${not} not.`,
  callsLostFix: 'A cluster must not confirm what it then loses: see the documentation on a second Postgres.',
  watch: {
    well: (beat: string, life: string) =>
      `A call was stored and applied in ${beat}, and an alarm led to a message in ${life}.`,
    states: {
      not_yet: 'The watchman has not looked yet: it does 20 s after a start.',
      late: 'The watchman has not looked for 90 s: nobody knows whether a call would alert somebody.',
      fails: 'A call might alert nobody:',
    } as Record<string, string>,
    faults: {
      database: 'the database does not answer',
      beat: 'calls would not be stored, or not be applied',
      dry_life: 'an alarm would not lead to a message',
      unapplied: 'accepted calls wait',
      overdue: 'messages are due and are not tried',
      carriers: 'no carrier answers',
      disk: 'the disk is nearly full, and is kept for alarms',
      clock_lost: 'the time is not kept',
      clock_stepped: "the database's clock was just set",
      bus: 'NATS is not connected',
      own_way: 'the facade does not answer at its own door',
    } as Record<string, string>,
    fix: 'Whoever runs Tocsin sees more in its log and with tocsin doctor.',
  },
  outside: {
    not_set: 'Nobody outside notices if all of this stops.',
    not_yet: 'HEARTBEAT_URL has not been called yet.',
    taken: 'HEARTBEAT_URL was told that all is well.',
    held: 'HEARTBEAT_URL was told that something fails.',
  } as Record<string, string>,
  outsideFix: 'Set HEARTBEAT_URL where Tocsin runs to an address of Healthchecks or the like.',
  waiting: (count: number, span: string) =>
    count === 0
      ? 'No call waits to be applied.'
      : `${many(count, 'call waits', 'calls wait')} to be applied, for ${span} at most.`,
  engineFix: 'Check that the engine is running: its log, and /readyz.',
  inTime: 'No message is late.',
  overdue: (span: string) => `The oldest message that is due is ${span} late.`,
  noSnapshot: 'Nothing keeps Postgres from cleaning up.',
  snapshot: (who: string, name: string, span: string) =>
    `${who}${name === '' ? '' : ` (${name})`} has kept Postgres from cleaning up for ${span}.`,
  holders: {
    transaction: 'A transaction',
    prepared_transaction: 'A prepared transaction',
    standby: 'A standby',
    replication_slot: 'A replication slot',
  } as Record<string, string>,
  snapshotFix: 'The longer this lasts, the slower Tocsin gets: tocsin doctor says how to end it.',
  backup: {
    none: 'Tocsin makes no backup by itself.',
    noneFix: 'Set BACKUP_DIR and BACKUP_PASSPHRASE where Tocsin runs, or let a timer call tocsin backup.',
    failed: (why: string) => `The latest backup failed: ${why}`,
    failedFix: 'Fix that; Operator, Backup says when it is tried again.',
    made: 'Backups are made on schedule.',
  },
  superuser: "Tocsin's database user may do anything on that server.",
  superuserFix: 'Give it a user of its own in DATABASE_URL.',
  returned: {
    read: 'Bounced mail is read.',
    fails: (problem: string) => `Bounced mail cannot be read: ${problem}`,
    failsFix: 'Check MAIL_BOUNCE_IMAP.',
    notSet: 'Nobody reads bounced mail: it stays "sent", and no other channel is tried.',
    notSetFix: 'Set MAIL_BOUNCE and MAIL_BOUNCE_IMAP where Tocsin runs.',
  },
};
