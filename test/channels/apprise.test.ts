import { expect, onTestFinished, test } from 'vitest';
import { createAppriseChannel } from '../../services/channels/apprise/send.ts';
import { writeMessage } from '../../services/channels/message.ts';
import type { AttemptOutcome } from '../../services/domain/delivery.ts';
import { A_WAY_BACK, aDrill, anAcknowledgement, anAlert, aVerification } from '../support/alert.ts';
import { type Apprise, startApprise } from '../support/apprise.ts';
import { logInto } from '../support/log.ts';
import type { PeerMode } from '../support/peer.ts';

const ANNA = 'apprise:anna';

async function rig({ timeoutMs = 500 } = {}) {
  const apprise = await startApprise();
  onTestFinished(apprise.stop);
  const lines: string[] = [];
  return {
    apprise,
    channel: createAppriseChannel({ settings: apprise.settings, log: logInto(lines), timeoutMs }),
    lines,
  };
}

test('an alert says what the others say, with the link to the page', async () => {
  const { apprise, channel } = await rig();
  const outcome = await channel.send(ANNA, anAlert());
  expect(outcome).toEqual({ kind: 'sent', providerRef: anAlert().deliveryId });
  const { subject, text } = writeMessage(anAlert());
  expect(apprise.notified).toEqual([{ key: 'anna', title: subject, body: text.trimEnd(), type: 'failure' }]);
  expect(apprise.notified[0]!.body).toContain(A_WAY_BACK.pageUrl);
});

test.each([
  ['a drill', aDrill()],
  ['a code', aVerification()],
  ['that somebody has it', anAcknowledgement()],
  ['a test', anAlert({ environment: 'test' })],
] as const)('%s is no failure', async (_, alert) => {
  const { apprise, channel } = await rig();
  await channel.send(ANNA, alert);
  expect(apprise.notified).toMatchObject([{ type: 'info' }]);
});

const ended = (reason: string): AttemptOutcome => ({ kind: 'permanent_fault', reason, taken: 'maybe' });
const away = (reason: string) => ({ kind: 'permanent_fault', reason, carrier: 'away' }) as const;
const behaves = (mode: PeerMode) => (apprise: Apprise) => apprise.behave(mode);

test.each<[string, (apprise: Apprise) => void, AttemptOutcome]>([
  [
    'one of the services behind the key refused',
    apprise => apprise.turns('some_fail'),
    ended('at least one of the services behind this key did not take it'),
  ],
  [
    'a login is asked for',
    behaves({ status: 401 }),
    away('Apprise refused the login: it must take messages without one'),
  ],
  ['it breaks', behaves({ status: 500 }), ended('Apprise refused: 500')],
  [
    'it is somebody else',
    behaves({ status: 301, headers: { location: 'http://169.254.169.254/' } }),
    away('what answers at APPRISE_URL is no Apprise server: 301'),
  ],
  ['it hangs', behaves('hang'), { ...away('Apprise did not answer in time: it may have gone out'), taken: 'maybe' }],
  ['it breaks off', behaves('reset'), { ...away('Apprise broke off: it may have gone out'), taken: 'maybe' }],
])('%s: it is not tried again, and the next channel goes', async (_, happens, outcome) => {
  const { apprise, channel, lines } = await rig();
  happens(apprise);
  expect(await channel.send(ANNA, anAlert())).toEqual(outcome);
  expect(apprise.heard).toHaveLength(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('anna');
});

test('late and in any words it is taken all the same', async () => {
  const { apprise, channel } = await rig();
  apprise.behave(100);
  expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
  apprise.behave({ status: 200, body: 'x'.repeat(100_000) });
  expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
});

test('a key that nothing is set up under is said so', async () => {
  const { channel } = await rig();
  const reason = 'nothing is set up under this key at Apprise';
  expect(await channel.send('apprise:nobody', anAlert())).toEqual({ kind: 'permanent_fault', reason });
});

test('where nobody listens nothing went out, so it is tried again', async () => {
  const { apprise, channel } = await rig();
  await apprise.stop();
  expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault', taken: 'no', carrier: 'away' });
  expect(await channel.ask!(500)).toBe('Apprise could not be reached');
});

test('it says whether it works; an older one cannot', async () => {
  const { apprise, channel } = await rig();
  expect(await channel.ask!(500)).toBe(null);
  apprise.behave({ status: 404 });
  expect(await channel.ask!(500)).toBe(null);
  apprise.behave({ status: 417 });
  expect(await channel.ask!(500)).toBe('Apprise says that it cannot work: 417');
});
