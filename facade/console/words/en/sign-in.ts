/** What the sign-in says. */
export const words = {
  title: 'Sign in',
  headline: 'The right people alerted, in order, until somebody acknowledges.',
  lead: 'Tocsin turns one plain call from a camera, a sensor or a script into messages that reach people.',
  points: [
    'See at once whether everything is all right',
    'Acknowledge with one tap, from bed',
    'Know why an alarm did or did not alert',
  ],
  email: 'Email address',
  sendCode: 'Email me a code',
  codeSent: (email: string) =>
    `If ${email} is a member here, a code of six digits is on its way. It is valid for 10 minutes.`,
  code: 'Code',
  withCode: 'Sign in',
  otherEmail: 'Use another address',
  otherWays: 'First time here, or no email?',
  firstStart: 'The first start prints a link that signs you in once, within 30 minutes. Or use a console token:',
  token: 'Console token',
  withToken: 'Sign in with the token',
  link: 'A link brought you here. It works once.',
  withLink: 'Sign in on this device',
  wrong: 'That did not work. Check it, or ask for a new one.',
  away: 'Tocsin cannot be reached right now. Try again in a moment.',
  oidc: {
    button: 'Sign in with single sign-on',
    failures: {
      refused: 'That sign-in was refused. Try again, or sign in with a code by email.',
      away: 'The sign-in service cannot be reached right now. Try again in a moment, or use a code by email.',
      open_line: 'This connection is not encrypted, and sign-in is not allowed over it. Open the https address.',
    } as Record<string, string>,
  },
  confirm: {
    title: 'Is this address yours?',
    text: 'You were named an owner of an account. Once you confirm, this address is told when an alarm of the account reached nobody. It signs you in nowhere.',
    do: 'Confirm my address',
    done: (account: string) => `Thank you. You are told from now on when an alarm of ${account} reaches nobody.`,
    goOn: 'Go to the console',
  },
  ended: 'You are signed out. Sign in to open the screen you wanted.',
};
