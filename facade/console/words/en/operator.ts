/** What the operator's screen says. */
export const words = {
  title: 'Operator',
  parts: { accounts: 'Accounts', deleted: 'Deleted', deployment: 'Deployment', backup: 'Backup' },
  accounts: 'All accounts',
  made: 'Created',
  here: 'You are here',
  enter: 'Enter',
  plans: { free: 'Free', paid: 'Paid' } as Record<string, string>,
  remove: (name: string) => `Delete ${name}?`,
  removeText:
    'It has to be empty: no locations, alarms, people, policies or keys. Its tokens end. Its history stays until it is erased.',
  first: {
    title: 'The first account',
    text: 'An account holds the alarms, people and keys of one home or company. Once it exists, a guide takes you to its first alarm.',
  },
  create: 'Create an account',
  createText:
    'The owner becomes its first member, and gets a mail: one press on its link, and they are told when an alarm reaches nobody.',
  /** What became of that mail, by its outcome. */
  asked: {
    sent: email =>
      `A mail to ${email} is on its way. Open its link: only then is the owner told when an alarm reaches nobody.`,
    no_carrier: () =>
      'No mail can be sent here, so nobody is told when an alarm reaches nobody: set SMTP_URL where Tocsin runs, then invite again under Settings, Members.',
    '': () => 'Nobody is told when an alarm reaches nobody: invite an owner under Settings, Members.',
    failed: email =>
      `The mail to ${email} did not go out, so nobody is told when an alarm reaches nobody: invite again under Settings, Members.`,
  } as Record<string, (email: string) => string>,
  name: 'Name of the home or company',
  email: "Owner's email (optional)",
  plan: 'Plan',
  planDefault: 'The default of this deployment',
  make: 'Create the account',
  token: (name: string) => `Console token of ${name}`,
  tokenText: 'It opens only this account and is shown only once. Give it to the owner, or store it safely.',
  noted: 'I have it',
  deleted: 'Deleted accounts',
  deletedText: 'Their history and audit stay until they are erased.',
  noneDeleted: { title: 'No deleted account.', text: 'One that you delete is listed here, also after it is erased.' },
  nameless: 'Without a name',
  deletedAt: 'Deleted',
  erasedAt: 'erased',
  erased: 'Erased',
  erase: 'Erase',
  eraseTitle: (name: string) => `Erase ${name} for good?`,
  eraseText: 'Its history, its audit and everything else that is left of it are removed. This cannot be undone.',
  eraseType: (name: string) => `Type ${name} to continue`,
  removed: (rows: number) => `${rows} rows removed so far.`,
  backup: {
    title: 'Backups',
    none: {
      title: 'Tocsin makes no backup by itself.',
      text: 'Set BACKUP_DIR and BACKUP_PASSPHRASE where Tocsin runs: then one is made every day, and seven are kept.',
    },
    byHand: 'One by hand',
    byHandText: 'Where Tocsin runs, with its settings and BACKUP_PASSPHRASE. It keeps running meanwhile.',
    last: 'Latest',
    never: 'None yet',
    size: 'Size',
    took: 'Took',
    next: 'Next',
    underWay: 'One is being made …',
    folder: 'Folder',
    file: (machine: string) => `File, on ${machine}`,
    schedule: (pause: string, keep: number) =>
      `Every ${pause}, encrypted, and read again once it is written; the newest ${keep} are kept.`,
    failed: 'The latest backup failed:',
    now: 'Back up now',
    begun: 'Started.',
    restore: 'Restore',
    restoreText:
      'On a machine with Tocsin, into an empty DATA_DIR or database, with the same BACKUP_PASSPHRASE, while no Tocsin runs on it.',
    apart: (settings: string) => `The files do not hold ${settings}: a restore needs them as they are set here.`,
    more: 'Backup and restore, step by step',
  },
};
