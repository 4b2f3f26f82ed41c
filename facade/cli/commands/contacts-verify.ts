import type { Command } from 'commander';
import {
  type Contact,
  SendVerificationCodeResponseSchema,
  VerifyChannelResponseSchema,
} from '../../../gen/tocsin/console/v1/contacts_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { askAtTerminal } from '../ask.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { examples, howNamed } from '../flags.ts';
import type { Act, Session } from '../session.ts';
import { askCode, isOnItsWay, sendCode, sentLines } from '../verify.ts';

/** `tocsin contacts verify`: sends a code to an address, and checks it. Until then no live alert goes there. */
export function addVerify(contacts: Command, act: Act): void {
  const verify = contacts
    .command('verify')
    .description('sends a code to one channel and, at a terminal, asks for it; exits with 1 unless it was sent');
  verify
    .argument('<contact>', howNamed('the contact', 'anna'))
    .argument('<channel>', 'text, call, email, push or chat: one that the contact has')
    .option('--code <digits>', 'enters the code that arrived, and sends none');
  examples(verify, 'contacts verify anna email', 'contacts verify anna email --code 123456').action(
    act(async (session, { code }: { code?: string }, contactId: string, channel: string) =>
      code === undefined ? send(session, contactId, channel) : tellBack(session, { contactId, channel, code }),
    ),
  );
}

async function send(session: Session, contactId: string, channel: string): Promise<ExitCode> {
  const { io, rpc } = session;
  const answer = await sendCode(rpc, contactId, channel);
  const to = `the ${channel} of ${contactId}`;
  session.answer(SendVerificationCodeResponseSchema, answer, () => sentLines(session, to, answer));
  if (answer.outcome === 'already_verified') return EXIT.ok;
  const canBeRead = isOnItsWay(answer) === 'on_its_way' || answer.keptMessage !== '';
  if (canBeRead && session.format === 'text') {
    if (io.stdin.isTerminal && io.stderr.isTerminal) {
      const contact = await askCode(rpc, await askAtTerminal(io.signal), contactId, channel);
      if (contact !== null) {
        io.stdout.write(`${session.paint('green', verifiedLine(contact, channel))}\n`);
        return EXIT.ok;
      }
    }
    session.note(`Enter it within 10 minutes: tocsin contacts verify ${contactId} ${channel} --code …`);
  }
  return isOnItsWay(answer) === 'on_its_way' ? EXIT.ok : EXIT.refused;
}

async function tellBack(
  session: Session,
  told: { contactId: string; channel: string; code: string },
): Promise<ExitCode> {
  const answer = await session.rpc.contacts.verifyChannel(told);
  const line = () => session.paint('green', verifiedLine(answer.contact!, told.channel));
  session.answer(VerifyChannelResponseSchema, answer, () => [line()]);
  return EXIT.ok;
}

function verifiedLine({ name }: Contact, channel: string): string {
  return `Verified the ${channel} of ${clean(name)}: live alerts go there.`;
}
