import { reportOf, type Shape } from './returned-shapes.ts';

/* Mails that come back as mail servers, gateways and people's programs write them, retold with invented names. */

const ANNA = 'anna@home.example';
const NO_USER = `smtp; 550 5.1.1 <${ANNA}>: Recipient address rejected: User unknown`;

/** The fields of a report about one person. */
const fields = (...lines: string[]) => [
  'Reporting-MTA: dns; mx.home.example',
  '',
  `Final-Recipient: rfc822; ${ANNA}`,
  ...lines,
];
const FAILED = fields('Action: failed', 'Status: 5.1.1', `Diagnostic-Code: ${NO_USER}`);

/** Reports with a part of their own for the status (RFC 3464), as they are and as they should not be. */
export const WITH_STATUS: readonly Shape[] = [
  reportOf('postfix', { status: FAILED, reason: /^no such mailbox: 550/ }),
  reportOf('two empty lines between the groups', {
    status: ['Reporting-MTA: dns; mx', '', '', `Final-Recipient: rfc822; ${ANNA}`, 'Action: failed', 'Status: 5.1.1'],
    reason: /^no such mailbox/,
  }),
  reportOf('an empty line first', { status: ['', ...FAILED], reason: /^no such mailbox/ }),
  reportOf('all in one group', { status: FAILED.filter(line => line !== ''), reason: /^no such mailbox: 550/ }),
  reportOf('without the group about the report', { status: FAILED.slice(2), reason: /^no such mailbox: 550/ }),
  reportOf('an empty line after each field', {
    status: FAILED.flatMap(line => [line, '']),
    reason: /^no such mailbox: 550/,
  }),
  reportOf('lines that end in LF alone', { status: FAILED, ends: '\n', reason: /^no such mailbox: 550/ }),
  reportOf('a comment in the action', {
    status: fields('Action: failed (5 days)', 'Status: 4.4.7'),
    reason: /^the mail came back: 4/,
  }),
  reportOf('a comment before the action', {
    status: fields('Action: (final) failed', 'Status: 5.2.2'),
    reason: /^mailbox full/,
  }),
  reportOf('a comment in the status', {
    status: fields('Action: failed', 'Status: 5.1.1 (bad mailbox)'),
    reason: /^no such mailbox/,
  }),
  reportOf('a comment that says delayed', { status: fields('Action: failed (was delayed)', 'Status: 5.4.7') }),
  reportOf('capitals', { status: fields('ACTION: FAILED', 'STATUS: 5.1.1'), reason: /^no such mailbox/ }),
  reportOf('an action that nobody knows', {
    status: fields('Action: discarded', 'Status: 5.7.1'),
    reason: /^refused as spam/,
  }),
  reportOf('no action', { status: fields('Status: 5.1.1'), reason: /^no such mailbox/ }),
  reportOf('an empty action', { status: fields('Action:', 'Status: 5.1.1'), reason: /^no such mailbox/ }),
  reportOf('no status', {
    status: fields('Action: failed', `Diagnostic-Code: ${NO_USER}`),
    reason: /^no such mailbox: 550/,
  }),
  reportOf('a status without a word of delay', {
    status: fields('Action: failed', 'Status: 4.4.7'),
    reason: /^the mail came back/,
  }),
  reportOf('a diagnosis over several lines', {
    status: fields(
      'Action: failed',
      'Status: 5.2.2',
      'Diagnostic-Code: smtp; 552 5.2.2',
      '    The mailbox is',
      '\tfull',
    ),
    reason: /^mailbox full: 552 5\.2\.2 The mailbox is full$/,
  }),
  reportOf('two people, one failed', {
    status: [
      ...fields('Action: delivered', 'Status: 2.0.0'),
      '',
      'Final-Recipient: rfc822; b@x.example',
      'Action: failed',
      'Status: 5.1.2',
    ],
    reason: /^no such mail domain/,
  }),
  reportOf('two people in one group, one failed', {
    status: [
      ...fields('Action: delayed', 'Status: 4.4.1'),
      'Final-Recipient: rfc822; b@x.example',
      'Action: failed',
      'Status: 5.1.1',
    ],
    reason: /^no such mailbox/,
  }),
  reportOf('X.400', {
    status: [
      'Reporting-MTA: x400; /ADMD=relay/C=AT/',
      '',
      `Final-Recipient: X400; /S=Anna/O=Home/ADMD=relay/C=AT/`,
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: X400; 1 (transfer failure), 0 (unrecognised OR name)',
      'X-Supplementary-Information: not in directory',
    ],
    reason: /^no such mailbox: 1 \(transfer failure\)/,
  }),
  reportOf('in base64', { status: FAILED, encoding: 'base64', reason: /^no such mailbox: 550/ }),
  reportOf('in quoted-printable', { status: FAILED, encoding: 'quoted-printable', reason: /^no such mailbox: 550/ }),
  reportOf('as global', { status: FAILED, type: 'message/global-delivery-status', reason: /^no such mailbox/ }),
  reportOf('with an underscore in its type', {
    status: FAILED,
    type: 'message/delivery_status',
    reason: /^no such mailbox/,
  }),
  reportOf('in a mixed mail', { status: FAILED, kind: 'multipart/mixed', reason: /^no such mailbox/ }),
  reportOf('as the whole mail', { status: FAILED, kind: 'whole', reason: /^no such mailbox: 550/ }),
  reportOf('with a list around it', { status: FAILED, headers: ['Precedence: list', 'List-Id: <all.home.example>'] }),
  reportOf('with the headers of an automatic reply', {
    status: FAILED,
    headers: ['Auto-Submitted: auto-replied', 'X-Autoreply: yes', 'Precedence: bulk'],
  }),
  reportOf('nested in a forward', { status: FAILED, forwarded: 'once', reason: /^no such mailbox: 550/ }),
  reportOf('nested in a forward of a forward', { status: FAILED, forwarded: 'twice', reason: /^no such mailbox: 550/ }),
  reportOf('in the text, with fields', { text: FAILED, reason: /^no such mailbox: 550/ }),
  reportOf('quoted in the text of a forward', {
    text: ['Please look:', '', ...FAILED.map(line => `> ${line}`)],
    reason: /^no such mailbox/,
  }),
  reportOf('delayed', {
    status: fields('Action: delayed', 'Status: 4.4.1', 'Will-Retry-Until: Fri, 27 Nov 2026 12:00:00 +0000'),
    fate: 'no_end',
  }),
  reportOf('delayed, with a comment', { status: fields('Action: delayed (4 hours)', 'Status: 4.4.1'), fate: 'no_end' }),
  reportOf('delayed, all in one group', {
    status: fields('Action: delayed', 'Status: 4.4.1').filter(line => line !== ''),
    fate: 'no_end',
  }),
  reportOf('delayed, two empty lines', {
    status: ['Reporting-MTA: dns; mx', '', '', ...fields('Action: delayed').slice(2)],
    fate: 'no_end',
  }),
  reportOf('delayed, in a forward', {
    status: fields('Action: delayed', 'Status: 4.4.1'),
    forwarded: 'once',
    fate: 'no_end',
  }),
  reportOf('delivered', { status: fields('Action: delivered', 'Status: 2.0.0'), fate: 'no_end' }),
  reportOf('relayed', { status: fields('Action: relayed', 'Status: 2.0.0'), fate: 'no_end' }),
  reportOf('expanded', { status: fields('Action: expanded', 'Status: 2.0.0'), fate: 'no_end' }),
  reportOf('arrived, without an action', { status: fields('Status: 2.1.5'), fate: 'no_end' }),
];
