/** A mail that comes back, and what it means. */
export interface Shape {
  name: string;
  fate: 'given_up' | 'no_end';
  /** What is said about a failure; absent: anything. */
  reason?: RegExp;
  /** Writes it to an address. */
  to(address: string): Buffer;
}

/** A mail as it is written: headers, a body, and the type of the body where it is no plain text. */
export function shape(
  name: string,
  fate: Shape['fate'],
  headers: readonly string[],
  body: readonly string[],
  reason?: RegExp,
  type = 'text/plain; charset=utf-8',
): Shape {
  const typed = headers.some(line => line.startsWith('Content-Type:')) ? [] : [`Content-Type: ${type}`];
  return {
    name,
    fate,
    ...(reason === undefined ? {} : { reason }),
    to: address =>
      Buffer.from([`To: ${address}`, ...headers, 'MIME-Version: 1.0', ...typed, '', ...body, ''].join('\r\n')),
  };
}

/** The headers of a mail that a mail server writes. */
export const mailer = (subject: string, ...more: string[]) => [
  'From: MAILER-DAEMON@mx.home.example (Mail Delivery System)',
  `Subject: ${subject}`,
  ...more,
];

/** A part of a mail with the boundary `r`, followed by others. */
export function part(type: string, content: string, after: readonly string[] = ['--r--']): string[] {
  return ['--r', `Content-Type: ${type}`, '', content, '', ...after];
}

/** A delivery report: `status` in a part of its own, or `text` alone. */
export function reportOf(
  name: string,
  on: {
    status?: readonly string[];
    text?: readonly string[];
    fate?: Shape['fate'];
    reason?: RegExp;
    headers?: readonly string[];
    type?: string;
    /** Of the mail; `whole`: it is nothing but the status. */
    kind?: string;
    encoding?: 'base64' | 'quoted-printable';
    ends?: '\n';
    /** How often somebody forwarded it, each time as a part of a mail. */
    forwarded?: 'once' | 'twice';
  },
): Shape {
  const { status = [], type = 'message/delivery-status', kind = 'multipart/report; report-type=delivery-status' } = on;
  const headers = ['From: MAILER-DAEMON@mx.home.example', 'Subject: Mail status', ...(on.headers ?? [])];
  const text = (on.text ?? ['This is the mail system.']).join('\r\n');
  const original = part('text/rfc822-headers', 'Subject: House - Away');
  const inside =
    on.text === undefined
      ? part('text/plain', text, [...encoded(type, status.join('\r\n'), on.encoding), ...original])
      : [text];
  const report =
    kind === 'whole'
      ? { type, body: [...status] }
      : { type: on.text === undefined ? `${kind}; boundary=r` : 'text/plain', body: inside };
  const fate = on.fate ?? 'given_up';
  if (on.forwarded === undefined) {
    const made = shape(name, fate, headers, report.body, on.reason, report.type);
    const { ends } = on;
    return ends === undefined
      ? made
      : { ...made, to: address => Buffer.from(made.to(address).toString().replaceAll('\r\n', ends)) };
  }
  const once = [...headers, 'MIME-Version: 1.0', `Content-Type: ${report.type}`, '', ...report.body];
  const twice = [
    'From: relay@home.example',
    'Subject: FW: Mail status',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=s',
    '',
    '--s',
    'Content-Type: message/rfc822',
    '',
    ...once,
    '--s--',
  ];
  const forward = ['From: Ben <ben@home.example>', 'Subject: Fwd: Mail status'];
  const content = [
    '--q',
    'Content-Type: text/plain',
    '',
    'Look at this.',
    '--q',
    'Content-Type: message/rfc822',
    '',
    ...(on.forwarded === 'once' ? once : twice),
    '--q--',
  ];
  return shape(name, fate, forward, content, on.reason, 'multipart/mixed; boundary=q');
}

function encoded(type: string, content: string, encoding: 'base64' | 'quoted-printable' | undefined): string[] {
  if (encoding === undefined) return ['--r', `Content-Type: ${type}`, '', content, ''];
  const written =
    encoding === 'base64'
      ? Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n')
      : content.replaceAll('=', '=3D').replaceAll(': ', ':=20');
  return ['--r', `Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, '', written, ''];
}
