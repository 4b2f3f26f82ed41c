import { expect, onTestFinished, test } from 'vitest';
import { startAsterisk, startAsteriskGateway } from '../support/asterisk.ts';
import { signedFor } from '../support/hook.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

/* The recipe of the docs (Reaching people, "Asterisk behind the gateway") against a double of Asterisk. */

const ANNA = '+4366012345678';
const SECRET = `whsec_${Buffer.alloc(32, 'g').toString('base64')}`;

/** A live alarm that calls Anna through the recipe, and mails her if that fails. */
async function family({ amiSecret = 'ami', locale = 'en-GB', speak = 'cat > "$WAV"' } = {}) {
  const [asterisk, smtp] = [await startAsterisk(), await startSmtp()];
  const gateway = await startAsteriskGateway({ secret: SECRET, amiPort: asterisk.port, amiSecret, speak });
  asterisk.leadsTo(gateway.agiPort);
  onTestFinished(async () => void (await Promise.all([gateway.stop(), asterisk.stop(), smtp.stop()])));
  const carriers = { gateway: { url: gateway.url, secret: SECRET, signature: 'v2' as const } };
  const world = await startWorld({ carriers, smtpUrl: smtp.url, publicUrl: 'of the facade' });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { call: ANNA, email: 'anna@example.com' });
  await world.rows('UPDATE contact SET locale = $1', [locale]);
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['call'] }] }]);
  const [id, key] = [await owner.alarm({ modes: { away: { policyId } } }), await owner.key()];
  return {
    ...{ asterisk, smtp, gateway, world },
    delivery: async () => (await owner.incidents())[0]!.deliveries.find(({ kind }) => kind === 'alert')!,
    incident: async () => (await owner.incidents())[0]!,
    async trigger() {
      await world.get(`/v1/alarm/${id}/trigger`, key);
      await world.settle();
    },
  };
}

test('Asterisk dials, the alarm is said, 2 says it again, and 1 acknowledges', async () => {
  const { asterisk, trigger, incident, delivery } = await family();
  asterisk.phone('answers', '21');
  await trigger();
  expect(asterisk.calls).toMatchObject([{ channel: `PJSIP/${ANNA}@trunk`, timeout: '30000' }]);
  const acknowledged = await eventually(
    async () => ((await incident()).acknowledgedBy === 'Anna' ? incident() : null),
    {
      what: 'an acknowledgement',
    },
  );
  expect(acknowledged).toMatchObject({ status: 'open', acknowledgedVia: 'key_press' });
  await eventually(async () => (await delivery()).status === 'delivered' || null, { what: 'that it was answered' });
  const [first, again, thanks] = asterisk.calls[0]!.said;
  expect(first).toContain('This is a real alert.');
  expect(first).toContain('House');
  expect(again).toContain('House');
  expect(thanks).toContain('acknowledged');
  expect(asterisk.calls[0]!.said).toHaveLength(3);
});

test('nobody presses a key: it is said twice and nothing is acknowledged, and German is spoken to whom it is theirs', async () => {
  const { asterisk, trigger, incident, delivery } = await family({ locale: 'de' });
  asterisk.phone('answers');
  await trigger();
  await eventually(async () => (await delivery()).status === 'delivered' || null, { what: 'that it was answered' });
  const { said } = asterisk.calls[0]!;
  expect(said.length).toBeGreaterThanOrEqual(2);
  expect(said[0]).toMatch(/Hallo|Guten/);
  expect(said[1]).toBe(said[0]);
  expect((await incident()).acknowledgedBy).toBe('');
});

test('nobody answers: the next channel goes, with the reason', async () => {
  const { asterisk, smtp, world, trigger, delivery } = await family();
  asterisk.phone('no_answer');
  await trigger();
  await eventually(async () => (await delivery()).status === 'failed' || null, { what: 'that nobody answered' });
  expect((await delivery()).reason).toBe('no answer');
  await world.settle();
  expect(smtp.mails).toHaveLength(1);
});

test('its dialplan leads nowhere: whoever answered heard nothing, and the next channel goes', async () => {
  const { asterisk, trigger, delivery } = await family();
  // Where nobody listens.
  asterisk.leadsTo(1);
  await trigger();
  await eventually(async () => (await delivery()).status === 'failed' || null, { what: 'that nothing was said' });
  expect((await delivery()).reason).toBe('Asterisk did not ask what to say');
});

test('nothing can be said: whoever answered heard nothing, and the next channel goes', async () => {
  const { asterisk, smtp, world, trigger, delivery } = await family({
    locale: 'de',
    speak: '[ "$VOICE" = en ] && cat > "$WAV"',
  });
  asterisk.phone('answers', '1');
  await trigger();
  await eventually(async () => (await delivery()).status === 'failed' || null, { what: 'that nothing was said' });
  expect((await delivery()).reason).toBe('nothing could be said');
  expect(asterisk.calls.map(({ said }) => said)).toEqual([[]]);
  await world.settle();
  expect(smtp.mails).toHaveLength(1);
});

test('Asterisk cannot open what was spoken: the same', async () => {
  const { asterisk, trigger, delivery } = await family();
  asterisk.cannotPlay();
  await trigger();
  await eventually(async () => (await delivery()).status === 'failed' || null, { what: 'that nothing was said' });
  expect((await delivery()).reason).toBe('nothing could be said');
});

test('whoever hangs up at once was called', async () => {
  const { asterisk, trigger, delivery } = await family();
  asterisk.phone('hangs_up');
  await trigger();
  await eventually(async () => (await delivery()).status === 'delivered' || null, { what: 'that it was answered' });
});

test.each(['exit 1', 'cat > /dev/null'])('it does not start where it cannot speak: %s', async speak => {
  const starting = startAsteriskGateway({ secret: SECRET, amiPort: 1, speak });
  await expect(starting).rejects.toThrow('SPEAK wrote no WAV');
});

test('busy: it is called again, as a call of its own', async () => {
  const { asterisk, world, trigger, delivery } = await family();
  asterisk.phone('busy');
  await trigger();
  await eventually(async () => (await delivery()).reason === 'busy' || null, { what: 'that it is busy' });
  asterisk.phone('answers', '1');
  await world.advance(5);
  expect(asterisk.calls).toHaveLength(2);
});

test('Asterisk refuses the login: nothing was dialled, and it is tried again', async () => {
  const { asterisk, trigger, delivery } = await family({ amiSecret: 'wrong' });
  await trigger();
  expect(await delivery()).toMatchObject({
    status: 'scheduled',
    reason: 'the gateway refused: Asterisk does not take calls',
  });
  expect(asterisk.calls).toEqual([]);
});

test('what is not signed, not for this place or no call is refused', async () => {
  const { asterisk, gateway } = await family();
  const ask = async (body: string, headers: Record<string, string>) =>
    (await fetch(gateway.url, { method: 'POST', body, headers })).status;
  const call = JSON.stringify({
    id: 'a'.repeat(32),
    kind: 'call',
    to: ANNA,
    spoken: {},
    statusUrl: null,
    keyUrl: null,
  });
  expect(await ask(call, {})).toBe(401);
  expect(await ask(call, signedFor(`${gateway.url}elsewhere`, SECRET, call))).toBe(401);
  expect(await ask(call, signedFor(gateway.url, `whsec_${Buffer.alloc(32, 'x').toString('base64')}`, call))).toBe(401);
  const injected = call.replace(ANNA, '+4366012345678\\r\\nAction: Command');
  expect(await ask(injected, signedFor(gateway.url, SECRET, injected))).toBe(422);
  const text = JSON.stringify({ id: 'b'.repeat(32), kind: 'text', to: ANNA, text: 'x' });
  expect(await ask(text, signedFor(gateway.url, SECRET, text))).toBe(422);
  expect(asterisk.calls).toEqual([]);
});
