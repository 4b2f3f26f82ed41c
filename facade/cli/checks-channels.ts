import type { GetDeploymentResponse } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import { clean } from '../../services/process/text.ts';
import { type Check, fail, ok, warn } from './check.ts';
import { stamp } from './timeline.ts';

/** Whether a channel has a carrier, whether that answers, and what became of the last message. */
export function channel(found: GetDeploymentResponse['channels'][number]): Check {
  const { channel, state, asked, problem, settings } = found;
  if (asked === 'fails') {
    return fail(channel, `The carrier does not work: ${clean(problem)}.${last(found)}`, `Check ${settings}.`);
  }
  if (state === 'carrier') {
    const works =
      asked === 'answers' ? 'The carrier answers.' : 'A carrier is set up, but cannot be tested without sending.';
    const failed = found.lastStatus === 'failed' || found.lastStatus === 'outbox';
    const said = `${works}${last(found)}`;
    return failed ? warn(channel, said, 'tocsin drill tries it.') : ok(channel, said);
  }
  const fix =
    settings === '' ? 'Do not rely on it in a policy.' : `Set ${settings} where Tocsin runs, or do not rely on it.`;
  return warn(channel, 'No carrier is set up: messages are kept in the outbox and reach nobody.', fix);
}

/** What became of the last message. */
function last({ lastStatus, lastReason, lastAt }: GetDeploymentResponse['channels'][number]): string {
  if (lastAt === undefined) return '';
  const why = lastReason === '' ? '' : ` (${clean(lastReason)})`;
  return ` The last message, ${stamp(lastAt)}: ${lastStatus}${why}.`;
}

/** Mail that a server takes may come back later. Where no mail is sent there is nothing to say. */
export function returnedMail({ channels, returnedMail: state, returnedMailProblem }: GetDeploymentResponse): Check[] {
  if (state === 'read') return [ok('returned', 'Mail that comes back undelivered is read.')];
  if (state === 'fails') {
    const found = `Mail that comes back undelivered cannot be read: ${clean(returnedMailProblem)}.`;
    return [fail('returned', found, 'Check MAIL_BOUNCE_IMAP.')];
  }
  if (!channels.some(one => one.channel === 'email' && one.state === 'carrier')) return [];
  const found = 'Nobody reads mail that comes back undelivered: it stays sent, and no other channel is tried.';
  return [warn('returned', found, 'Set MAIL_BOUNCE and MAIL_BOUNCE_IMAP where Tocsin runs.')];
}
