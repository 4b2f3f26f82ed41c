import { dollars } from '../../../process/text.ts';
import type { OperatorAct, Thing } from '../types.ts';
import { accepts } from './accepts.ts';
import { KINDS, THINGS } from './things.ts';

const OPERATOR_ACTS: Readonly<Record<OperatorAct, string>> = {
  change_ceiling: 'Changing the daily spend ceiling',
  change_plan: 'Changing the plan',
  create_account: 'Creating an account',
  create_token: 'Creating a console token',
  delete_account: 'Deleting an account',
  erase_account: 'Erasing an account',
  list_accounts: 'Listing accounts',
  list_deleted: 'Listing deleted accounts',
  make_backup: 'Making a backup',
  raise_cap: 'Raising or removing the daily spend cap',
  see_backups: 'Viewing backups',
};

const GOING_ON = {
  calls: 'calls that it has accepted are not applied yet',
  incidents: 'an incident of it is still being closed',
  messages: 'a message of it is on its way',
};

/** Why something that an owner asked for was not done. */
export const refusals = {
  /** The same for what never existed, is gone, or belongs to somebody else. */
  noSuch: (thing: Thing, near: string) =>
    `There is no such ${THINGS[thing]} in this account${near === '' ? '.' : `: did you mean "${near}"?`}`,
  noSession: 'You have no such session.',
  streamOfFormerAccount: 'You are no longer a member of the account of this stream: call again.',
  noCall:
    'No call with this trace id is known in this account. Reads (describe, state) are not kept, and old calls are removed.',
  noAccount: 'There is no account with the id in x-tocsin-account (--account).',
  accountGone: 'The account is gone.',
  severalAccounts: 'You are a member of several accounts: name one in the metadata x-tocsin-account.',
  operatorNamesNone: "The operator's token needs the account in the metadata x-tocsin-account.",

  keyTaken: (thing: Thing, key: string) =>
    `The key "${key}" is taken by another ${THINGS[thing]} of this account: choose another key.`,
  changedMeanwhile: (thing: Thing, read: number, now: number) =>
    `This ${THINGS[thing]} has version ${now}, but the change was made for version ${read}: read it again, then change it.`,
  inUse: (thing: Thing, users: readonly { kind: string; name: string; key: string }[], more: number) => {
    const by = users.map(({ kind, name, key }) => `${kind.replace('_', ' ')} "${name}" (${key})`);
    return `This ${THINGS[thing]} is used by ${by.join(', ')}${more > 0 ? ` and ${more} more` : ''}: change those first.`;
  },
  armedIn: (name: string, mode: string) =>
    `"${name}" is armed in "${mode}", which this change deletes; bare calls would then fall back to away. ` +
    'Disarm it first, or send the change with force (--force).',
  unbinds: (name: string, modes: readonly string[]) =>
    `This change leaves "${name}" without a policy in ${modes.join(', ')}: a trigger there would alert nobody. ` +
    'Bind a policy there, or send the change with force (--force).',
  keyRevoked: (label: string) => `"${label}" is revoked and stays so: create another key.`,
  planLimit: ({ plan, sourcesMost, sources }: { plan: string; sourcesMost: number; sources: number }) =>
    `The ${plan} plan covers ${sourcesMost} alarms and panic buttons together; with this change ${sources} would be enabled. ` +
    `Disable or delete ${sources - sourcesMost} of them, or change to the paid plan.`,

  operatorOnly: (act: OperatorAct) =>
    `${OPERATOR_ACTS[act]} ${accepts.mismatch("the operator's token", "an account's own")}`,
  noBackups: 'No folder for backups is set up: set BACKUP_DIR and BACKUP_PASSPHRASE where Tocsin runs.',
  roleTooLow: (needed: string, role: string) =>
    `This needs the role "${needed}" in this account, and yours is "${role}": ask an owner.`,
  accountStillThere: 'This account is still there: delete it first, then erase what it left.',
  notOver: (goingOn: keyof typeof GOING_ON) =>
    `The account cannot be deleted yet: ${GOING_ON[goingOn]}. Try again in a minute.`,

  memberAlready: (email: string) => `"${email}" is a member of this account already.`,
  membersFull: (most: number) =>
    `This account has ${most} members, which is the most that an account may have: remove one first.`,
  lastOwner: 'This is the last owner of the account: make another member an owner first.',
  tooManyInvitations: (most: number, retryAfterS: number) =>
    `Too many invitations: an account sends at most ${most} a minute. Try again in ${retryAfterS} s.`,
  confirmedAlready: 'This member has confirmed the address already.',
  noConfirmation: 'This link is not valid or no longer: ask for another invitation, or sign in with your address.',

  notSignedIn: 'Sign in first.',
  sessionEnded: 'This session has ended or is not valid: sign in again.',
  badToken:
    'The console token is missing or not valid. Send "authorization: Bearer tcn_…" with a console token; an API key opens nothing here.',
  tokenEnded: (at: string) => `This console token ended at ${at}. Ask the operator for a new one.`,
  linkNeedsToken: `Creating a sign-in link ${accepts.mismatch('a console token', 'a session', 'sign in on the other device instead')}`,
  signIn: {
    emailCode: 'This code is not valid. Check the newest mail, or ask for a new code.',
    link: 'This link is not valid: it opens once and within 30 minutes. Create a new one: tocsin sign-in-link.',
    consoleToken: 'This console token is not valid.',
    oidcAnswer: 'The identity provider did not sign in a member of this deployment.',
    none: 'Show an email code, a link or a console token to sign in.',
  },
  tooManySignInCodes: (most: number, retryAfterS: number) =>
    `Too many codes were requested from your address: at most ${most} a minute. Try again in ${retryAfterS} s.`,
  oidcAway: 'The identity provider does not answer. Try again, or sign in another way.',
  noOidc: 'No identity provider is set up: OIDC_ISSUER.',
  openLine:
    'This connection is not encrypted, and this deployment does not allow sign-in over it. Open the https address.',

  tooManyCalls: (retryAfterS: number) =>
    `This account has made too many calls. Wait ${retryAfterS === 1 ? 'a second' : `${retryAfterS} seconds`}, then send this one again.`,
  tooManyAtOnce: 'Too many calls at once. Wait a second.',
  tooMuchUnderWay: 'Too many requests are under way. Try again.',
  tooManyChanges: 'Too many changes are under way. Nothing was accepted: try again.',
  tooManyWaiting: (most: number) =>
    `${most} changes of this account are waiting already. Nothing was accepted: try again when they are done.`,
  diskLow:
    'The disk of the database is nearly full, and what is left of it is kept for alarms. Nothing was changed: the operator has to make room first.',
  changedTooMuch: (retryAfterS: number) =>
    `This account has changed more than the audit of an account takes. Nothing was changed: try again in ${retryAfterS} s, or ask the operator to raise ACCOUNT_LIMITS.`,
  thingsFull: (thing: Thing, most: number) =>
    `${KINDS[thing]}: an account may have ${most} of them, and with this change there would be more. Delete what is not needed, or ask the operator to raise ACCOUNT_LIMITS.`,
  tooManyFiles: 'Too many large files are being read: try again in a moment.',
  tooManyDrills: (most: number, retryAfterS: number) =>
    `Too many drills: an account has at most ${most} a minute. Try again in ${retryAfterS} s.`,
  tooMuchChanged: 'Too much changed at once to be watched. Call again, and list what you show after it is ready.',
  /** Begins with its code. */
  overSpend: (on: { limit: 'cap' | 'ceiling'; spent: number; most: number; channel: string; until: string }) => {
    const { limit, spent, most, channel, until } = on;
    const field = limit === 'cap' ? 'daily_spend_cap_cents' : 'daily_spend_ceiling_cents';
    return (
      `${limit === 'cap' ? 'spend_capped' : 'spend_ceiling'}: SMS and calls have cost an estimated ${dollars(spent)} today, and the daily ${limit} is ` +
      `${dollars(most)}. Drills and codes by ${channel} are refused until ${until}. Use another channel, or ask the ` +
      `operator to raise the ${limit} (${field}; tocsin accounts update --${field.replaceAll('_', '-')}).`
    );
  },

  notYetApplied: (verb: string, traceId: string) =>
    `The ${verb} is stored and will be applied soon: do not send it again, but look up the trace id ${traceId} with FindCall in a moment.`,
  appliedUnread: (verb: string, outcome: string, traceId: string) =>
    `The ${verb} was applied (${outcome}, trace id ${traceId}), but the incident cannot be read now: get it in a moment.`,

  unreadable: (type: string, why: string) =>
    `The body of this call cannot be read as ${type} (${why}). Nothing was done: send the message as its proto describes it.`,
  tooLarge: (most: number) =>
    `The message of this call is too large: this method takes ${most} bytes, compressed or not. Nothing was done.`,
  zeroCharacter: 'A text in this call contains the character U+0000, which cannot be stored: leave it out.',
  commitLost:
    'The database did not confirm that it stored this, so it may be stored or not: look before you try again.',
  ourFault: 'Something went wrong on our side.',
  overloaded: 'Too busy at the moment. Nothing was accepted: try again.',
  servicesAway: 'The services cannot be reached.',
  noAnswer: 'No answer in time.',
  databaseAway: 'The database cannot be reached at the moment. Nothing was accepted: try again.',
};
