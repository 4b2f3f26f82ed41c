import { expect, onTestFinished, test } from 'vitest';
import { commandLine } from '../cli/command-line.ts';
import { tokenOf } from '../rpc/incident/incident-rig.ts';
import { consoleOf } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { parseTwiml } from '../support/twiml.ts';
import { startWorld } from '../support/world.ts';

/* DECISIONS.md "An address that the outside does not reach" */

async function aHouse(publicUrl: string) {
  const [twilio, smtp] = [await startTwilio(), await startSmtp()];
  onTestFinished(async () => void (await Promise.all([twilio.stop(), smtp.stop()])));
  const world = await startWorld({ carriers: { twilio: twilio.settings }, smtpUrl: smtp.url, publicUrl });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', {
    text: '+12025550111',
    call: '+12025550111',
    email: 'anna@example.com',
  });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['text', 'call', 'email'] }] }]);
  const alarmId = await owner.alarm({ modes: { away: { policyId } } });
  const { readiness } = consoleOf(world, await tokenOf(world, owner, 'A token'));
  const findings = (await readiness.getReadiness({})).sources[0]!.findings;
  await world.get(`/v1/alarm/${alarmId}/trigger`, await owner.key());
  await world.settle();
  const { json } = await commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator }).json('doctor');
  const checks = Object.fromEntries(
    (json.checks as { name: string; verdict: string; found: string }[]).map(({ name, verdict, found }) => [
      name,
      { verdict, found },
    ]),
  );
  const lost = findings
    .filter(({ code }) => code === 'answers_lost')
    .map(({ channel, severity, problem }) => ({ channel, severity, problem }));
  return { text: twilio.messages[0]!.fields, call: twilio.calls[0]!.fields, lost, checks };
}

test('an address of the network: the call speaks without keys, the text asks for no reply, readiness and doctor say so for each channel', async () => {
  const { text, call, lost, checks } = await aHouse('http://192.168.1.10:8080');
  expect(text.StatusCallback).toBeUndefined();
  expect(text.Body).toContain('http://192.168.1.10:8080/i/');
  expect(text.Body).not.toMatch(/reply/i);
  expect(call.Url).toBeUndefined();
  const { said, gathers } = parseTwiml(call.Twiml!);
  expect(gathers).toEqual([]);
  expect(said.at(-1)).toMatch(/^You cannot answer on this call\. To acknowledge, open the link .* network/);
  expect(lost).toMatchObject([
    { channel: 'text', severity: 'warns', problem: expect.stringContaining('Nobody can reply to its texts') },
    { channel: 'call', severity: 'warns', problem: expect.stringContaining('Nobody can acknowledge on its calls') },
    { channel: 'email', severity: 'warns', problem: expect.stringContaining('open only in the network') },
  ]);
  expect(checks.links).toMatchObject({ verdict: 'warn', found: expect.stringContaining('only in its own network') });
  expect(checks.text).toMatchObject({
    verdict: 'warn',
    found: expect.stringContaining('only by the link, in the network'),
  });
  expect(checks.call).toMatchObject({ verdict: 'warn', found: expect.stringContaining('Nobody can respond') });
});

test.each([
  'http://localhost:8080',
  'http://tocsin.local',
  'http://100.64.1.2',
])('%s: no reply line, no keys', async url => {
  const { text, call, lost } = await aHouse(url);
  expect(text.Body).not.toMatch(/reply/i);
  if (url.includes('localhost')) expect(text.Body).not.toContain('localhost');
  expect(parseTwiml(call.Twiml!).said.at(-1)).toMatch(/^You cannot answer on this call\./);
  expect(lost.map(({ channel }) => channel)).toEqual(
    url.includes('localhost') ? ['text', 'call'] : ['text', 'call', 'email'],
  );
});

test('an address that others know: replies, keys, no finding; doctor asks it, and says what came', async () => {
  const { text, call, lost, checks } = await aHouse('https://alarm.nowhere.invalid');
  expect(text.Body).toMatch(/Reply \w+ to acknowledge/);
  expect(text.StatusCallback).toContain('https://alarm.nowhere.invalid/carrier/twilio/status/');
  expect(call.Url).toContain('https://alarm.nowhere.invalid/carrier/twilio/voice/');
  expect(lost).toEqual([]);
  expect(checks.links).toMatchObject({ verdict: 'ok' });
  expect(checks.way).toMatchObject({
    verdict: 'warn',
    found: expect.stringMatching(/^Asked from here, .* does not answer/),
  });
});
