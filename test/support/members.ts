import { onTestFinished } from 'vitest';
import { type Console, consoleOf, newOwner } from './console.ts';
import { type Smtp, startSmtp } from './smtp.ts';
import { codeIn } from './verified.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

/** The console as somebody sees it who shows nothing. */
export function nobody(world: Pick<World, 'rpcUrl'>): Console {
  return consoleOf(world, 'nothing');
}

/** Asks for a code and gives the one that came by mail. */
export async function codeFor(world: World, smtp: Smtp, email: string): Promise<string> {
  const seen = smtp.mails.length;
  await nobody(world).sessions.startSignIn({ email, locale: 'en' });
  const { subject = '' } = await smtp.next(
    mail => smtp.mails.indexOf(mail) >= seen && mail.envelope.to.includes(email.toLowerCase()),
  );
  return codeIn(subject);
}

/** Signs in by mail; gives the secret of the session. */
export async function signedIn(world: World, smtp: Smtp, email: string): Promise<string> {
  const code = await codeFor(world, smtp, email);
  const { secret } = await nobody(world).sessions.signIn({ way: { case: 'emailCode', value: { email, code } } });
  return secret;
}

/** Two accounts with a mail server: the first one's owner signed in, the second one an outsider's. */
export async function twoHouses(options: WorldOptions = {}) {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ smtpUrl: smtp.url, publicUrl: 'https://alarm.example.com', ...options });
  const [elms, outsider] = [await newOwner(world, 'Elms'), await newOwner(world, 'An outsider')];
  const invite = (email: string, role: string, name = '') => elms.console.members.inviteMember({ email, role, name });
  await invite('anna@example.com', 'owner', 'Anna');
  await outsider.console.members.inviteMember({ email: 'otto@example.org', role: 'owner', name: 'Otto' });
  return {
    smtp,
    world,
    elms,
    outsider,
    invite,
    signIn: (email: string) => signedIn(world, smtp, email),
    /** The console as a member of role sees it, invited and signed in just now. */
    async as(role: string, name: string): Promise<Console> {
      const email = `${name.toLowerCase()}@example.com`;
      await invite(email, role, name);
      return consoleOf(world, await signedIn(world, smtp, email));
    },
  };
}
