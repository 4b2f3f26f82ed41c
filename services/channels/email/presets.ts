import type { Preset, Said } from '../described.ts';

/** Where two-step sign-in is on, the usual password is refused. */
const APP_PASSWORD: Said = {
  en: 'The user is your whole address. The password is an app password, which you create in the settings of your account there: your usual one is refused.',
  de: 'Der Benutzer ist Ihre ganze Adresse. Das Passwort ist ein App-Passwort, das Sie dort in den Einstellungen Ihres Kontos anlegen: Ihr übliches wird abgelehnt.',
};

const USUAL_PASSWORD: Said = {
  en: 'The user is your whole address, the password your usual one; with two-step sign-in it is an app password.',
  de: 'Der Benutzer ist Ihre ganze Adresse, das Passwort Ihr übliches; mit Anmeldung in zwei Schritten ist es ein App-Passwort.',
};

/** GMX and web.de keep programs out until their users let them in. */
const LET_IN: Said = {
  en: 'First allow access by POP3 and IMAP in the settings of your mail there. The user is your whole address; with two-step sign-in the password is an app password.',
  de: 'Erlauben Sie dort zuerst in den Einstellungen der E-Mail den Zugriff über POP3 und IMAP. Der Benutzer ist Ihre ganze Adresse; mit Anmeldung in zwei Schritten ist das Passwort ein App-Passwort.',
};

/** The mail servers of common providers, as they say themselves. */
export const MAIL_PRESETS: readonly Preset[] = [
  { name: 'Gmail', host: 'smtp.gmail.com', port: 465, note: APP_PASSWORD },
  {
    name: 'Outlook, Microsoft 365',
    host: 'smtp.office365.com',
    port: 587,
    note: {
      en: 'Only business accounts for which their administrator allows authenticated SMTP: outlook.com takes no password from programs any more.',
      de: 'Nur Geschäftskonten, für die deren Verwaltung authentifiziertes SMTP erlaubt: outlook.com nimmt von Programmen kein Passwort mehr an.',
    },
  },
  { name: 'iCloud', host: 'smtp.mail.me.com', port: 587, note: APP_PASSWORD },
  { name: 'Fastmail', host: 'smtp.fastmail.com', port: 465, note: APP_PASSWORD },
  { name: 'GMX', host: 'mail.gmx.net', port: 587, note: LET_IN },
  { name: 'web.de', host: 'smtp.web.de', port: 587, note: LET_IN },
  { name: 'mailbox.org', host: 'smtp.mailbox.org', port: 465, note: USUAL_PASSWORD },
  { name: 'Posteo', host: 'posteo.de', port: 465, note: USUAL_PASSWORD },
  {
    name: 'Amazon SES',
    host: 'email-smtp.eu-central-1.amazonaws.com',
    port: 465,
    note: {
      en: 'Put your own region into the name of the host. User and password are SMTP credentials, which you create in the console of SES.',
      de: 'Setzen Sie Ihre eigene Region in den Namen des Hosts. Benutzer und Passwort sind SMTP-Zugangsdaten, die Sie in der Konsole von SES anlegen.',
    },
  },
  {
    name: 'Mailgun',
    host: 'smtp.eu.mailgun.org',
    port: 465,
    note: {
      en: 'Accounts in the USA use smtp.mailgun.org. User and password are the SMTP credentials of your domain there.',
      de: 'Konten in den USA nehmen smtp.mailgun.org. Benutzer und Passwort sind die SMTP-Zugangsdaten Ihrer Domain dort.',
    },
  },
  {
    name: 'Postmark',
    host: 'smtp.postmarkapp.com',
    port: 587,
    note: {
      en: 'User and password are both the server API token. The sender has to be confirmed there.',
      de: 'Benutzer und Passwort sind beide der Server-API-Token. Der Absender muss dort bestätigt sein.',
    },
  },
  {
    name: 'Brevo',
    host: 'smtp-relay.brevo.com',
    port: 587,
    note: {
      en: 'User and password stand there under SMTP & API; the password is the SMTP key.',
      de: 'Benutzer und Passwort stehen dort unter SMTP & API; das Passwort ist der SMTP-Schlüssel.',
    },
  },
];
