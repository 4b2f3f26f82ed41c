import { expect, test } from 'vitest';
import { responderOf, tokenOf } from '../rpc/responder/responder-rig.ts';
import { newOwner } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

test('a drill by hand asks for an answer, and the report says how soon it came, as a table, CSV and JSON', async () => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url, publicUrl: 'of the facade' });
  const { token, console } = await newOwner(world);
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token });
  await console.locations.createLocation({ location: { name: 'Home' } });
  await owner.text(
    'contacts',
    'create',
    '--name',
    '=Anna, "the first"',
    '--key',
    'anna',
    '--email',
    'anna@example.com',
  );
  const refused = await owner.text('drill', 'anna', 'email', '--answer');
  expect(refused.exit).not.toBe(0);
  expect(refused.err).toContain('the address is not verified');
  await world.rows('UPDATE contact_channel SET verified_at = tocsin_now()');
  expect((await owner.text('proofs')).out).toBe('Nobody was asked to answer in 2026-01.\n');

  const started = await owner.text('drill', 'anna', 'email', '--answer');
  expect(started).toMatchObject({ exit: 0, out: expect.stringContaining('A drill is on its way to anna by email.') });
  await world.settle();
  expect((await smtp.next(mail => mail.envelope.to.includes('anna@example.com'))).subject).toMatch(/^DRILL: /);
  await world.advance(90);
  const [delivery] = await world.rows<{ id: string }>('SELECT id FROM delivery');
  await responderOf(world).acknowledgeByLink({ token: tokenOf(delivery!) });

  expect((await owner.text('contacts', 'show', 'anna')).out).toMatch(/email anna@example\.com \(verified .*, proven /);
  const shown = (await owner.text('proofs', '--month', '2026-01')).out;
  expect(shown).toMatch(/=Anna, "the first" +email +drill +.* +answered +90 s/);
  expect(shown).toContain('Each row carries the digest that follows from the one before.');
  const [names, row, ...rest] = (await owner.text('proofs', '--csv')).out.split('\r\n');
  expect(names).toBe('number,who,channel,occasion,result,asked_at,at,seconds,contact_id,incident_id,sha256');
  expect(row).toMatch(
    /^1,"'=Anna, ""the first""",email,drill,answered,2026-01-15T[^,]+Z,2026-01-15T[^,]+Z,90,\w{32},\w{32},[0-9a-f]{64}$/,
  );
  expect(rest).toEqual(['']);
  expect((await owner.json('proofs')).json).toMatchObject({
    month: '2026-01',
    chain: 'whole',
    proofs: [{ afterS: 90 }],
  });
  const outsider = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: (await newOwner(world)).token });
  expect((await outsider.text('proofs')).out).toBe('Nobody was asked to answer in 2026-01.\n');
  await smtp.stop();
});
