import type { Contact } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { clean } from '../../services/process/text.ts';
import type { Ask } from './ask.ts';
import { findingLines } from './findings.ts';
import { secretLines } from './key-lines.ts';
import { PROPOSED_WINDOW_S } from './modes.ts';
import { PATIENT } from './rpc.ts';
import type { Session } from './session.ts';
import { transcriptLines } from './transcript.ts';
import { unverified } from './verify.ts';
import { askAccount } from './wizard-account.ts';
import { askAlarm, askContact, askLocation } from './wizard-questions.ts';
import { offerVerification } from './wizard-verify.ts';

/** Of a name that becomes part of another one: names have at most 100 characters. */
const LONGEST_PART = 90;

/**
 * Location, contact and its code, policy, alarm, key; then a rehearsal with its transcript. Everything is made as soon as it is known and
 * stays when the person leaves: what exists by then is said, and the next run offers it.
 */
export async function setUp(given: Session, ask: Ask): Promise<void> {
  const made: string[] = [];
  const say = (...lines: readonly string[]) => lines.forEach(line => void given.io.stdout.write(`${line}\n`));
  const note = (kind: string, { name, key }: { name: string; key: string }) => {
    made.push(`${kind} ${clean(name)} (${key})`);
    say(given.paint('green', `Made the ${kind} ${clean(name)}.`));
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
            contacts: [{ contactId: contact.id, channels: contact.channels.map(({ channel }) => channel) }],
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
    const { apiKey, secret } = await rpc.keys.createApiKey({
      apiKey: { label: `${alarm!.name.slice(0, LONGEST_PART)} key`, alarmId: alarm!.id },
    });
    note('API key', { name: apiKey!.label, key: apiKey!.key });
    say(...(await secretLines(session, secret)), '');
    say(...transcriptLines(await rpc.drills.rehearse({ sourceId: alarm!.id, mode: 'night' }, PATIENT), 'closed'));
    if (findings.length > 0) say('', 'Still to do:', ...findingLines(session, findings));
    say('', ...nextSteps(alarm!.key, contact));
  } catch (error) {
    const exists = made.length === 0 ? 'Nothing was made.' : `Made so far, and still there: ${made.join(', ')}.`;
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
    ...unverified(contact).map(
      channel => `  tocsin contacts verify ${contact.key} ${channel}    until then no live alert goes there`,
    ),
    ...contact.channels
      .slice(0, 1)
      .map(({ channel }) => `  tocsin drill ${contact.key} ${channel}    sends a real test message`),
    `  tocsin preview ${alarmKey}    tells who would be alerted now`,
    `  tocsin alarms update ${alarmKey} --live    from then on it alerts people`,
  ];
}
