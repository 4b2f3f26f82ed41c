import type { Mail } from './smtp.ts';

/** What a mail server says of a mail that it had taken. */
export interface Told {
  /** To whom the report goes; absent: to the envelope sender of the mail, as servers do. */
  to?: string;
  action?: string;
  status?: string;
  diagnostic?: string;
  /** `none`: the mail is not given back. */
  returns?: 'headers' | 'mail' | 'none';
  /** Stands before the report itself. */
  text?: string;
}

/** A delivery status notification (RFC 3464) about a mail that a server took, as Postfix writes it. */
export function reportOn(mail: Pick<Mail, 'envelope' | 'raw'>, told: Told = {}): string {
  const { to = mail.envelope.from, action = 'failed', status = '5.1.1', returns = 'headers' } = told;
  const { diagnostic = `smtp; 550 5.1.1 <${mail.envelope.to[0]}>: Recipient address rejected: User unknown` } = told;
  const headers = mail.raw.slice(0, mail.raw.indexOf('\r\n\r\n') + 2);
  const returned = {
    headers: [...part('text/rfc822-headers', 'Undelivered Message Headers'), headers],
    mail: [...part('message/rfc822', 'Undelivered Message'), mail.raw],
    none: [],
  };
  return lines(
    'From: MAILER-DAEMON@mx.example.com (Mail Delivery System)',
    `To: ${to}`,
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="=_report"',
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--=_report',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    told.text ?? `I'm sorry to have to inform you that your message could not be delivered to ${mail.envelope.to[0]}.`,
    '',
    ...part('message/delivery-status', 'Delivery report'),
    'Reporting-MTA: dns; mx.example.com',
    'Arrival-Date: Sun, 22 Nov 2026 12:00:00 +0000 (UTC)',
    '',
    `Final-Recipient: rfc822; ${mail.envelope.to[0]}`,
    `Action: ${action}`,
    `Status: ${status}`,
    ...(diagnostic === '' ? [] : [`Diagnostic-Code: ${diagnostic}`]),
    '',
    ...returned[returns],
    '--=_report--',
    '',
  );
}

function part(type: string, description: string): string[] {
  return ['--=_report', `Content-Description: ${description}`, `Content-Type: ${type}`, ''];
}

function lines(...all: string[]): string {
  return all.join('\r\n');
}
