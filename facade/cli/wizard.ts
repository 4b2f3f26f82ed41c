import { ConnectError } from '@connectrpc/connect';
import type { Account } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import type { Contact } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { clean } from '../../services/process/text.ts';
import type { Ask } from './ask.ts';
import { readConnection } from './config.ts';
import { findingLines } from './findings.ts';
import { secretLines } from './key-lines.ts';
import { listenerLines } from './listeners.ts';
import { PROPOSED_WINDOW_S } from './modes.ts';
import { connect, PATIENT } from './rpc.ts';
import { openSession, type Session } from './session.ts';
import { transcriptLines } from './transcript.ts';
import { askCode, isOnItsWay, sendCode, sentLines, unverified } from './verify.ts';
import { askAlarm, askContact, askKey, askLocation } from './wizard-questions.ts';

/** The longest name that becomes part of another one: names have at most 100 characters. */
const LONGEST_PART = 90;

/**
 * Sets up location, contact and its code, policy, alarm, key; then rehearses and shows the transcript. Everything is
 * created as soon as it is known and stays if the person leaves: what exists by then is reported, and the next run
 * offers it.
 */
export async function setUp(given: Session, ask: Ask): Promise<void> {
  const made: string[] = [];
  const say = (...lines: readonly string[]) => lines.forEach(line => void given.io.stdout.write(`${line}\n`));
  const note = (kind: string, { name, key }: { name: string; key: string }) => {
    made.push(`${kind} ${clean(name)} (${key})`);
    say(given.paint('green', `Created the ${kind} ${clean(name)}.`));
  };
  try {
    const session = await askAccount(given, ask, ({ id, name }) => made.push(`account ${clean(name)} (${id})`));
    const { rpc } = session;
    const location = await askLocation(rpc, ask, thing => note('location', thing));
    const told = await askContact(rpc, ask, session.io.timeZone, thing => note('contact', thing));
    const contact = await offerVerification(session, ask, told);
    const { policy } = await rpc.policies.createPolicy({
      policy: {
        name: `${contact.name.slice(0, LONGEST_PART)} first`,
        steps: [
          {
            delayS: 0,
            contacts: [
              { contactId: contact.id, channels: [...new Set(contact.channels.map(({ channel }) => channel))] },
            ],
          },
        ],
        repeat: 1,
      },
    });
    note('policy', policy!);
    const { alarm, findings } = await askAlarm(rpc, ask, { locationId: location.id, policyId: policy!.id });
    note('alarm', alarm!);
    say(
      `It is in test, fires only when armed, a disarm ends its incident, and away waits ${PROPOSED_WINDOW_S}s for one.`,
    );
    const { apiKey, secret } = await askKey(rpc, ask, alarm!.id);
    note('API key', { name: apiKey!.label, key: apiKey!.key });
    say(...(await secretLines(session, secret)), '');
    say(...transcriptLines(await rpc.drills.rehearse({ sourceId: alarm!.id, mode: 'night' }, PATIENT), 'closed'));
    if (findings.length > 0) say('', 'Still to do:', ...findingLines(session, findings));
    say('', ...nextSteps(alarm!.key, contact));
  } catch (error) {
    const exists = made.length === 0 ? 'Nothing was made.' : `Created so far, and kept: ${made.join(', ')}.`;
    const again =
      made.length === 0
        ? ''
        : ' tocsin setup offers account, location and contact again; each list command shows the rest.';
    given.note(`${exists}${again}`);
    throw error;
  }
}

function nextSteps(alarmKey: string, contact: Contact): string[] {
  return [
    'Next:',
    ...[...new Set(unverified(contact))].map(
      channel => `  tocsin contacts verify ${contact.key} ${channel}    until then no live alert goes there`,
    ),
    ...contact.channels
      .slice(0, 1)
      .map(({ channel }) => `  tocsin drill ${contact.key} ${channel}    sends a real test message`),
    `  tocsin preview ${alarmKey}    shows who would be alerted now`,
    `  tocsin keys create --alarm ${alarmKey} --label "Hall motion"    a key for each further device: messages say which one tripped`,
    `  tocsin alarms update ${alarmKey} --live    from then on it alerts people`,
  ];
}

const NEW = 'new';

/**
 * Returns a session on an account: the token's own, or the one that the operator chooses or creates; `made` is called
 * for a new one.
 */
async function askAccount(session: Session, ask: Ask, made: (account: Account) => void): Promise<Session> {
  const { token, accountId } = await session.rpc.deployment.getDeployment({});
  if (token !== 'operator' || accountId !== '') return session;
  const { accounts } = await session.rpc.accounts.listAccounts({ pageSize: 50 });
  const choices = accounts.map(({ id, name }) => ({ value: id, label: clean(name), hint: id }));
  const chosen =
    choices.length === 0 ? NEW : await ask.choose('Which account?', [...choices, { value: NEW, label: 'A new one' }]);
  const account = chosen === NEW ? await newAccount(session, ask, made) : chosen;
  const { io, format, rpcUrl, flags } = session;
  return openSession({
    rpc: connect(readConnection(io.environment, { ...flags, account }), io.signal),
    rpcUrl,
    io,
    format,
    flags,
  });
}

async function newAccount(session: Session, ask: Ask, made: (account: Account) => void): Promise<string> {
  const { rpc, io } = session;
  const name = await ask.text('What is the name of the account?', { proposed: 'Home' });
  const answer = await rpc.accounts.createAccount({ account: { name } });
  const { account, token } = answer;
  made(account!);
  io.stdout.write(
    `Created the account ${clean(name)}.\n\nexport TOCSIN_ACCOUNT=${account!.id}\nexport TOCSIN_TOKEN=${token}\n\n`,
  );
  io.stdout.write('The token opens this account alone. It is shown only now.\n');
  for (const line of listenerLines(session, { ...answer, ownerEmail: '' })) io.stdout.write(`${line}\n`);
  return account!.id;
}

/**
 * Offers to verify each unverified channel of a contact, and returns the contact as it is then. A failure is reported
 * and can be fixed later: the rest of the setup does not depend on it.
 */
async function offerVerification(session: Session, ask: Ask, contact: Contact): Promise<Contact> {
  let now = contact;
  for (const channel of unverified(contact)) {
    const question = `Send a code to the ${channel} of ${clean(contact.name)} now? Live alerts go there once the code is entered.`;
    if ((await ask.confirm(question, 'yes')) === 'no') continue;
    now = (await verifiedNow(session, ask, { contact, channel })) ?? now;
  }
  return now;
}

async function verifiedNow(
  { rpc, io, paint }: Session,
  ask: Ask,
  { contact: { id, name }, channel }: { contact: Contact; channel: string },
): Promise<Contact | null> {
  try {
    const answer = await sendCode(rpc, id, channel);
    const lines = sentLines({ paint }, `the ${channel} of ${clean(name)}`, answer);
    io.stdout.write(`${lines.join('\n')}\n`);
    if (isOnItsWay(answer) === 'not_sent' && answer.keptMessage === '') return null;
    return await askCode(rpc, ask, id, channel);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    ask.tell(error.rawMessage);
    return null;
  }
}
