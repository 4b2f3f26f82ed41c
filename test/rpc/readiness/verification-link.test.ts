import { describe, expect, test } from 'vitest';
import { createVerificationLinks, type VerificationLinksOn } from '../../../services/readiness/verification-link.ts';
import { eventsOf } from '../../facade/responder-rig.ts';
import { refusal } from '../../support/console.ts';
import { startNtfy } from '../../support/ntfy.ts';
import { codeIn } from '../../support/verified.ts';
import { PEPPER } from '../../support/world.ts';
import { changed, responderOf } from '../responder/responder-rig.ts';
import { aMailServer, anna } from './verification-rig.ts';

/* The button "Yes, alert me" of a message that asks whether an address is somebody's (DECISIONS.md "Whose answer verifies an address"). */

const DAY_S = 24 * 60 * 60;
const NO_SUCH_PAGE = { code: 'NotFound', message: expect.stringContaining('There is no such page') };

/** Anna, to whom a mail went that asks her. */
async function annaAsked(locale = 'en') {
  const smtp = await aMailServer();
  const all = await anna({ smtpUrl: smtp.url, publicUrl: 'of the facade' });
  const { contacts, contactId } = all;
  await contacts.updateContact({ contact: { id: contactId, version: 1, locale }, updateMask: { paths: ['locale'] } });
  await all.send();
  const [url = ''] = /http\S+\/i\/\S+/.exec(smtp.mails[0]!.text!) ?? [];
  return { ...all, smtp, url, token: url.slice(url.lastIndexOf('/') + 1), responder: responderOf(all.world) };
}

const press = (url: string) => fetch(`${url}/acknowledge`, { method: 'POST', redirect: 'manual' });

test('a mail has the button, its page asks in the language of its reader, and pressing it verifies the address', async () => {
  const { world, owner, contactId, smtp, url, token, responder, verified } = await annaAsked('de-AT');
  const [mail] = smtp.mails;
  expect(mail!.html).toContain(`href="${url}"`);
  expect(mail!.html).toContain('Ja, verständigt mich');
  expect(codeIn(mail!.subject!)).toMatch(/^\d{6}$/);
  const { page } = await responder.getPage({ token });
  expect(page).toMatchObject({
    language: 'de',
    title: 'Darf „The Elms“ Sie verständigen?',
    environment: 'verification',
    state: 'open',
    acknowledgeLabel: 'Ja, verständigt mich',
    closeLabel: '',
    told: [],
  });
  // Mail scanners follow links.
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(`${url}/acknowledge`, { redirect: 'manual' })).status).toBe(303);
  expect(await verified()).toEqual(['webhook']);

  expect(await (await press(url)).json()).toEqual({ outcome: 'verified' });
  expect(await verified()).toEqual(['email', 'webhook']);
  expect(await (await press(url)).json()).toEqual({ outcome: 'already_verified' });
  const after = (await responder.getPage({ token })).page!;
  expect(after).toMatchObject({ state: 'acknowledged', acknowledgeLabel: '', facts: [] });
  expect(after.status).toContain('kann Sie jetzt hier verständigen');
  expect(after.print).not.toBe(page!.print);
  const { changes } = await owner.console.audit.listChanges({ thingId: contactId });
  expect(changes.map(one => `${one.action} ${one.actorKind} ${one.actor}`)[0]).toBe('update contact Anna');
  await world.settle();
});

test('a browser without a script gets the page with its form, and comes back to it', async () => {
  const { url, verified } = await annaAsked();
  const html = await (await fetch(url)).text();
  expect(html).toContain('May &#34;The Elms&#34; alert you?');
  const [, action] = /<form method="post" action="([^"]+)">/.exec(html)!;
  const pressed = await fetch(new URL(action!, url), {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(pressed.status).toBe(303);
  expect(new URL(pressed.headers.get('location')!, pressed.url).href).toBe(url);
  expect(await verified()).toContain('email');
  expect(await (await fetch(url)).text()).not.toContain('<form');
  expect(await eventsOf(`${url}/events`, text => text.includes('event: page'))).toContain('can alert you here now');
});

test('the code of the same message goes on working, and one that was used ends nothing for the link', async () => {
  const { url, smtp, tell, verified } = await annaAsked();
  await tell(codeIn(smtp.mails[0]!.subject!));
  expect(await verified()).toContain('email');
  expect(await (await press(url)).json()).toEqual({ outcome: 'already_verified' });
});

describe('a link verifies what it was sent to and nothing else', () => {
  test('it ends after a day, by the deployment’s time', async () => {
    const { world, url, token, responder, verified } = await annaAsked();
    await world.advance(DAY_S - 60);
    expect((await responder.getPage({ token })).page!.state).toBe('open');
    await world.advance(120);
    expect(await refusal(responder.getPage({ token }))).toMatchObject(NO_SUCH_PAGE);
    expect((await press(url)).status).toBe(404);
    expect(await verified()).toEqual(['webhook']);
  });

  test('an address that was changed since is another one', async () => {
    const { contacts, contactId, url, token, responder, verified } = await annaAsked();
    const channels = [{ channel: 'email', address: 'mallory@example.com' }];
    await contacts.updateContact({
      contact: { id: contactId, version: 1, channels },
      updateMask: { paths: ['channels'] },
    });
    expect(await refusal(responder.getPage({ token }))).toMatchObject(NO_SUCH_PAGE);
    expect((await press(url)).status).toBe(404);
    expect(await verified()).toEqual([]);
  });

  test('of a contact who is gone', async () => {
    const { contacts, contactId, token, responder } = await annaAsked();
    await contacts.deleteContact({ contactId });
    expect(await refusal(responder.getPage({ token }))).toMatchObject(NO_SUCH_PAGE);
    expect(await refusal(responder.acknowledgeByLink({ token }))).toMatchObject(NO_SUCH_PAGE);
  });

  test('no part of it can be changed: account, contact, time, signature, channel', async () => {
    const { token, responder, verified } = await annaAsked();
    const forged = [0, 31, 32, 63, 64, 69, 70, 75, 76, 91].map(at => changed(token, at));
    for (const other of [...forged, token.replace(/email$/, 'text'), token.replace(/email$/, 'fax'), `${token}x`]) {
      expect(await refusal(responder.acknowledgeByLink({ token: other }))).toMatchObject(NO_SUCH_PAGE);
    }
    expect(await verified()).toEqual(['webhook']);
  });

  test('who makes links up has the database asked nothing', async () => {
    const away = () => {
      throw new Error('the database was asked');
    };
    const links = createVerificationLinks({
      ...({ orm: { em: { fork: away } }, pool: { query: away, connect: away } } as unknown as VerificationLinksOn),
      pepper: PEPPER,
      publicUrl: () => 'https://alarm.test',
    });
    const of = { accountId: 'a'.repeat(32), contactId: 'b'.repeat(32), channel: 'email' as const };
    const token = links.urlOf(of, 'anna@example.com', Date.now())!.slice('https://alarm.test/i/'.length);
    await expect(links.pageOf(token)).rejects.toThrow('the database was asked');
    expect(token.length).toBeLessThanOrEqual(98);
    for (const at of [0, 31, 32, 63, 64, 69, 70, 75]) {
      expect([await links.pageOf(changed(token, at)), await links.confirm(changed(token, at))]).toEqual([null, null]);
    }
  });

  test('an outsider’s link does nothing to Anna, whatever of hers is put into it', async () => {
    const { world, token, responder, verified, owner } = await annaAsked();
    const theirs = await annaAsked();
    expect((await responder.acknowledgeByLink({ token })).outcome).toBe('verified');
    expect(await theirs.verified()).toEqual(['webhook']);
    expect(
      await refusal(
        responder.acknowledgeByLink({ token: owner.accountId + token.slice(32, 64) + theirs.token.slice(64) }),
      ),
    ).toMatchObject(NO_SUCH_PAGE);
    expect(await verified()).toContain('email');
    await world.settle();
  });

  test('what else a page can do it cannot', async () => {
    const { token, responder } = await annaAsked();
    for (const asked of [
      responder.closeByLink({ token }),
      responder.addNoteByLink({ token, text: 'Hello' }),
      responder.nextStepByLink({ token, step: '1' }),
      responder.tellRing({ token, ring: 'aloud' }),
    ]) {
      expect(await refusal(asked)).toMatchObject(NO_SUCH_PAGE);
    }
  });
});

test('without a public address there is the code alone, and what was kept shows its reader no link', async () => {
  const smtp = await aMailServer();
  const { send } = await anna({ smtpUrl: smtp.url });
  await send();
  expect(smtp.mails[0]!.text).not.toContain('/i/');
  expect(smtp.mails[0]!.text).toContain('without the code, you will not be alerted');
  const { operator, contactId } = await anna({ publicUrl: 'https://alarm.test' });
  const { keptMessage } = await operator.contacts.sendVerificationCode({ contactId, channel: 'email' });
  expect(keptMessage).toContain('Your code');
  expect(keptMessage).not.toContain('alarm.test');
});

test('a push message has it as a button', async () => {
  const ntfy = await startNtfy();
  const { contacts, contactId, send, verified } = await anna({
    carriers: { ntfy: { url: ntfy.url, token: null } },
    publicUrl: 'of the facade',
  });
  const channels = [{ channel: 'push', address: 'annas-telephone' }];
  await contacts.updateContact({
    contact: { id: contactId, version: 1, channels },
    updateMask: { paths: ['channels'] },
  });
  await send('push');
  const { actions, click } = await ntfy.next();
  expect(actions).toEqual([{ action: 'view', label: 'Yes, alert me', url: click }]);
  await press(click!);
  expect(await verified()).toEqual(['push']);
});
