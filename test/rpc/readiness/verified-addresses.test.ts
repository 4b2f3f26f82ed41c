import { describe, expect, test } from 'vitest';
import { readToApply } from '../../../services/configuration/file/apply.ts';
import { CONFIG_FILE } from '../../../services/domain/actor.ts';
import { KEEP_ALL } from '../../../services/limits/kept.ts';
import { createSeal } from '../../../services/store/seal.ts';
import { inTransaction } from '../../../services/store/statement.ts';
import { newOwner, refusal } from '../../support/console.ts';
import { codeIn, verifiedByMail } from '../../support/verified.ts';
import { PEPPER, startWorld } from '../../support/world.ts';
import { aMailServer, anna } from './verification-rig.ts';

describe('an address that changes', () => {
  async function verifiedAnna() {
    const smtp = await aMailServer();
    const all = await anna({ smtpUrl: smtp.url });
    await all.send();
    const { contact } = await all.tell(codeIn(smtp.mails[0]!.subject!));
    const update = async (change: object, paths: string[]) => {
      const { contact: read } = await all.contacts.getContact({ contactId: all.contactId });
      const wanted = { ...change, id: all.contactId, version: read!.version };
      return (await all.contacts.updateContact({ contact: wanted, updateMask: { paths } })).contact!;
    };
    return { ...all, smtp, update, verifiedAt: contact!.channels[0]!.verifiedAt! };
  }
  const email = { channel: 'email', address: 'anna@example.com' };
  const text = { channel: 'text', address: '+12025550111' };

  test('is not verified any more, back at the old one either; the others stay', async () => {
    const { update, verified } = await verifiedAnna();
    const elsewhere = { ...email, address: 'anna@example.org' };
    await update({ channels: [elsewhere, text] }, ['channels']);
    expect(await verified()).toEqual([]);
    await update({ channels: [email, text] }, ['channels']);
    expect(await verified()).toEqual([]);
  });

  test('stays verified when it is renamed around, moved, switched off and on', async () => {
    const { update, verifiedAt } = await verifiedAnna();
    const changes: [object, string[]][] = [
      [{ name: 'Anna Elm', voice: 'Polly.Vicki' }, ['name', 'voice']],
      [{ channels: [text, email] }, ['channels']],
      [{ channels: [text, { ...email, disabledReason: 'on holiday' }] }, ['channels']],
      [{ channels: [email] }, ['channels']],
    ];
    for (const [change, paths] of changes) {
      const { channels } = await update(change, paths);
      expect(channels.find(({ channel }) => channel === 'email')!.verifiedAt).toEqual(verifiedAt);
    }
  });

  test('takes its code along: one for the old address says nothing of the new one', async () => {
    const { world, smtp, update, send, tell } = await verifiedAnna();
    await update({ channels: [{ ...email, address: 'a@example.com' }, text] }, ['channels']);
    await send();
    const code = codeIn(smtp.mails[1]!.subject!);
    await update({ channels: [{ ...email, address: 'b@example.com' }, text] }, ['channels']);
    expect((await refusal(tell(code))).message).toMatch(/^none_sent: /);
    expect(await world.rows('SELECT FROM verification')).toEqual([]);
  });

  test('a contact that is deleted leaves no code', async () => {
    const { world, contacts, contactId, send } = await anna();
    await send();
    await contacts.deleteContact({ contactId });
    expect(await world.rows('SELECT FROM verification')).toEqual([]);
  });
});

test('a channel that is switched off can be verified: so its owner may switch it on', async () => {
  const smtp = await aMailServer();
  const { contacts, contactId, send, tell, verified } = await anna({ smtpUrl: smtp.url });
  const channels = [{ channel: 'email', address: 'anna@example.com', disabledReason: 'on holiday' }];
  await contacts.updateContact({
    contact: { id: contactId, version: 1, channels },
    updateMask: { paths: ['channels'] },
  });
  await send();
  await tell(codeIn(smtp.mails[0]!.subject!));
  expect(await verified()).toEqual(['email']);
});

describe('who vouches for an address', () => {
  const contact = {
    name: 'Ben',
    channels: [
      { channel: 'email', address: 'ben@example.com' },
      { channel: 'push', address: 'ben-phone' },
    ],
  };
  const file = `version: 1
contacts:
  - key: cleo
    name: Cleo
    voice: Polly.Vicki
    channels:
      - channel: text
        address: "+12025550199"
`;
  async function apply(console: Awaited<ReturnType<typeof anna>>['operator']) {
    for await (const { event } of console.configuration.apply({ text: file })) {
      if (event.case === 'result') expect(event.value.outcome).toBe('applied');
    }
    return (await console.contacts.getContact({ contactId: 'cleo' })).contact!;
  }

  test('not the operator’s typing: not verified, by RPC and by file, until the person’s own code comes back', async () => {
    const smtp = await aMailServer();
    const { operator } = await anna({ smtpUrl: smtp.url });
    const { contact: made } = await operator.contacts.createContact({ contact });
    expect(made!.channels.map(({ verifiedAt }) => verifiedAt)).toEqual([undefined, undefined]);
    const cleo = await apply(operator);
    expect(cleo.voice).toBe('Polly.Vicki');
    expect(cleo.channels[0]!.verifiedAt).toBeUndefined();
    await verifiedByMail(operator, smtp, { contactId: made!.id, address: 'ben@example.com' });
    const { contact: now } = await operator.contacts.getContact({ contactId: made!.id });
    expect(now!.channels.map(({ channel, verifiedAt }) => [channel, verifiedAt !== undefined])).toEqual([
      ['email', true],
      ['push', false],
    ]);
  });

  test('what a start applies: whoever sets CONFIG_FILE, or has the demo made, runs the deployment', async () => {
    const world = await startWorld();
    const { accountId } = await newOwner(world);
    const seal = createSeal(Buffer.alloc(32));
    const { applyTo } = await readToApply(
      { orm: world.store.orm, seal, bus: world.bus, pepper: PEPPER, kept: KEEP_ALL },
      file,
      {},
    );
    await inTransaction(world.store.pool, client => applyTo(client, accountId, CONFIG_FILE));
    const [row] = await world.rows('SELECT channel, verified_at = tocsin_now() AS now FROM contact_channel');
    expect(row).toEqual({ channel: 'text', now: true });
  });

  test('with an account’s own token: not verified, by RPC and by file', async () => {
    const { owner } = await anna();
    const { contact: made } = await owner.console.contacts.createContact({ contact });
    expect(made!.channels.map(({ verifiedAt }) => verifiedAt)).toEqual([undefined, undefined]);
    expect((await apply(owner.console)).channels[0]!.verifiedAt).toBeUndefined();
  });

  test('CONTACT_VERIFICATION=trusted: verified when stored, whoever stores it', async () => {
    const { contacts, verified, send } = await anna({ contactVerification: 'trusted' });
    expect(await verified()).toEqual(['email', 'text', 'webhook']);
    const { contact: made } = await contacts.createContact({ contact });
    expect(made!.channels.every(({ verifiedAt }) => verifiedAt !== undefined)).toBe(true);
    expect((await send()).outcome).toBe('already_verified');
  });
});
