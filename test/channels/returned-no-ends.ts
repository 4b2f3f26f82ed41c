import { mailer, part, type Shape, shape } from './returned-shapes.ts';

/** Late, or arrived: told in a text alone. */
export const NO_END: readonly Shape[] = [
  shape('exim, late', 'no_end', mailer('Warning: message 1abc-0000 delayed 24 hours', 'Auto-Submitted: auto-replied'), [
    'A message that you sent has not yet been delivered to one or more of its recipients',
    'after more than 24 hours. Delivery attempts will continue. 450 try later',
  ]),
  shape(
    'sendmail, late',
    'no_end',
    mailer('Warning: could not send message for past 4 hours', 'Auto-Submitted: auto-generated (warning-timeout)'),
    ['**  THIS IS A WARNING MESSAGE ONLY  **', 'YOU DO NOT NEED TO RESEND YOUR MESSAGE', '451 Operating system error'],
  ),
  shape('postfix, late', 'no_end', mailer('Delayed Mail (still being retried)'), [
    'Your message could not be delivered for more than 4 hours. It will be retried until it is 5 days old.',
  ]),
  shape('gmail, late', 'no_end', mailer('Delivery Status Notification (Delay)'), [
    'THIS IS A WARNING MESSAGE ONLY.',
    'The error was: 450 4.2.2 mailbox full',
  ]),
  shape(
    'exchange, late, named like a failure',
    'no_end',
    ['From: Microsoft Outlook <postmaster@home.example>', 'Subject: Delivery delayed: Power failure'],
    ['Delivery to these recipients has been delayed.'],
  ),
  shape('opensmtpd, late', 'no_end', mailer('Delivery status notification: warning'), [
    'A message is delayed for more than 10 minutes.',
    'You DO NOT NEED to re-send it.',
  ]),
  shape('late, said in the text alone', 'no_end', mailer('Mail status'), [
    'Your message has not yet been delivered. We will keep trying for 3 days.',
  ]),
  shape('late, German', 'no_end', mailer('Verzögerte Zustellung: Haus'), ['Es wird weiterhin versucht.']),
  shape('late, German, in the text', 'no_end', mailer('Ihre Nachricht'), [
    'Ihre Nachricht wurde noch nicht zugestellt.',
  ]),
  shape('late, French', 'no_end', mailer('=?utf-8?Q?Remise_diff=C3=A9r=C3=A9e?='), [
    'Le serveur continuera pendant 2 jours.',
  ]),
  shape('late, Spanish', 'no_end', mailer('Entrega retrasada: Casa'), ['No es necesario volver a enviar el mensaje.']),
  shape('late, Italian', 'no_end', mailer('Consegna in ritardo: Casa'), ['Ulteriori tentativi saranno fatti.']),
  shape('arrived', 'no_end', mailer('Delivered: House'), ['Your message was successfully delivered.']),
  shape('arrived, from postfix', 'no_end', mailer('Successful Mail Delivery Report'), [
    'Your message was successfully delivered to the destination.',
  ]),
  shape(
    'opened',
    'no_end',
    ['From: Anna <anna@home.example>', 'Subject: Read: House'],
    part(
      'text/plain',
      'It was displayed.',
      part('message/disposition-notification', 'Disposition: manual-action/MDN-sent-manually; displayed'),
    ),
    undefined,
    'multipart/report; report-type=disposition-notification; boundary=r',
  ),
  shape(
    'called spam',
    'no_end',
    ['From: complaints@isp.example', 'Subject: FW: House'],
    part('text/plain', 'An abuse report.', part('message/feedback-report', 'Feedback-Type: abuse\nVersion: 1')),
    undefined,
    'multipart/report; report-type=feedback-report; boundary=r',
  ),
];

const person = (subject: string, ...more: string[]) => [
  'From: Anna <anna@home.example>',
  `Subject: ${subject}`,
  ...more,
];

/** What people's machines reply: it arrived. */
export const AUTOMATIC: readonly Shape[] = [
  shape('away, by its header', 'no_end', person('Re: House - Away', 'Auto-Submitted: auto-replied'), [
    'See you on Monday.',
  ]),
  shape(
    'away, an alarm named like a failure',
    'no_end',
    person('Re: Power failure', 'Auto-Submitted: auto-replied (vacation)'),
    ['See you on Monday.'],
  ),
  shape('away, an alarm named like a failure, as it is', 'no_end', person('Power failure', 'X-Autoreply: yes'), [
    'See you.',
  ]),
  shape('away, the old header', 'no_end', person('Re: House', 'Precedence: auto_reply'), ['See you.']),
  shape('away, X-Autoreply', 'no_end', person('House', 'X-Autoreply: yes', 'Precedence: bulk'), ['See you.']),
  shape('away, X-Auto-Reply-From', 'no_end', person('House', 'X-Auto-Reply-From: anna@home.example'), ['See you.']),
  shape('away, X-Autorespond', 'no_end', person('House', 'X-Autorespond: House'), ['See you.']),
  shape('away, by a rule of Exchange', 'no_end', person('House', 'X-MS-Exchange-Inbox-Rules-Loop: anna@home.example'), [
    'See you.',
  ]),
  shape(
    'away, from a postmaster',
    'no_end',
    ['From: postmaster@home.example', 'Subject: Automatic reply: House', 'Auto-Submitted: auto-replied'],
    ['The office is closed.'],
  ),
  shape('away, with the words of a failure', 'no_end', person('Out of office', 'Auto-Submitted: auto-replied'), [
    'Action: failed',
    'Status: 5.1.1',
  ]),
  ...[
    'Automatic reply: House',
    'Auto-Reply: House',
    'Autoreply: House',
    'Out of Office: House',
    'Out of the office Re: House',
    'Automatische Antwort: Haus',
    'Abwesenheitsnotiz: Haus',
    'Abwesend: Haus',
    'Nicht im Büro: Haus',
    '=?utf-8?Q?R=C3=A9ponse_automatique_:_Maison?=',
    'Absence du bureau',
    'Respuesta automática: Casa',
    'Fuera de la oficina',
    'Risposta automatica: Casa',
    'Assente dal lavoro',
    'Resposta automática: Casa',
    'Automatisch antwoord: Huis',
    'Afwezig: Huis',
    'Autosvar: Hus',
    'Frånvaro: Hus',
    'Automatyczna odpowiedź: Dom',
    'Automatická odpověď: Dům',
    'Автоответ: дом',
    '自動応答: 家',
    '自动回复: 家',
  ].map(subject => shape(`away: ${subject}`, 'no_end', person(subject), ['…'])),
  ...[
    'I am out of the office until Monday.',
    "I'm on vacation and will read it later.",
    'Ich bin bis Montag nicht im Büro.',
    'Ich bin derzeit im Urlaub.',
    'Je suis en congé.',
    'Estoy fuera de la oficina.',
    'Sono in ferie.',
    'Ik ben tot maandag afwezig.',
  ].map(text => shape(`away, in the text: ${text}`, 'no_end', person('Re: House'), [text])),
];
