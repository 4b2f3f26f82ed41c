import type { Words } from '../types.ts';

/** What the screen of the API keys says, in German. */
export const words: Words['keys'] = {
  title: 'API-Schlüssel',
  lead: 'Wer aufrufen darf: eine Kamera, eine Hausautomation, ein Skript. Geben Sie jedem einen eigenen, dann lässt sich einer widerrufen, ohne die anderen zu stören.',
  add: 'Schlüssel erstellen',
  show: 'Zeigen',
  active: 'Gültige',
  all: 'Alle',
  none: {
    title: 'Noch kein Schlüssel',
    text: 'Ein Gerät braucht einen, um scharf und unscharf zu schalten und auszulösen.',
  },
  noneActive: {
    title: 'Gerade gilt kein Schlüssel.',
    text: 'Abgelaufene und widerrufene bleiben in der Liste, wegen ihrer Aufrufe.',
  },
  status: { active: 'Gilt', expired: 'Abgelaufen', revoked: 'Widerrufen' },
  account: 'Ganzes Konto',
  only: alarm => `Nur ${alarm}`,
  goneAlarm: 'ein Alarm, den es nicht mehr gibt',
  ending: last4 => `endet auf ${last4}`,
  until: 'gilt bis ',
  neverUsed: 'Nie verwendet',
  used: 'Zuletzt verwendet ',
  from: (address, agent) => (agent === '' ? `von ${address}` : `von ${address} durch ${agent}`),
  expires: 'Läuft ab ',
  revokedAt: 'Widerrufen ',

  form: {
    new: 'Neuer Schlüssel',
    edit: label => `${label} bearbeiten`,
    label: 'Wofür er ist',
    labelHint: 'Etwa die Kamera, das Haus oder das Skript, das damit aufruft.',
    reach: 'Was er erreicht',
    reachHint: 'Das lässt sich später nicht ändern.',
    expires: 'Läuft von selbst ab nach dem',
    expiresHint: 'Leer: nie.',
    create: 'Schlüssel erstellen',
  },
  once: {
    title: label => `Der Schlüssel für ${label}`,
    text: 'Er wird nur dieses eine Mal gezeigt. Kopieren Sie ihn jetzt: Niemand kann ihn wieder zeigen, und wenn Sie weitergehen, ist er fort.',
    secret: 'Schlüssel',
    curl: 'Probieren Sie ihn in einem Terminal: Das liest nur und löst nichts aus.',
    curlName: 'curl-Zeile',
    done: 'Ich habe ihn',
  },
  rotate: {
    do: 'Erneuern',
    title: label => `${label} erneuern?`,
    text: 'Er bekommt ein zweites Geheimnis, einmal gezeigt. Das bisherige gilt noch eine Weile, damit nichts ausfällt, während Sie es tauschen.',
    overlap: 'Das bisherige gilt noch',
    overlaps: {
      0: 'gar nicht: Es endet sofort',
      3600: 'eine Stunde',
      86400: 'einen Tag',
      604800: 'eine Woche',
      2592000: '30 Tage',
    },
  },
  revoke: {
    do: 'Widerrufen',
    title: label => `${label} widerrufen?`,
    used: (reach, by) =>
      `Er endet sofort, und das lässt sich nicht zurücknehmen. Reichweite: ${reach}. Wer ihn zuletzt verwendet hat, kann dann nicht mehr scharf oder unscharf schalten und nicht auslösen: ${by}.`,
    unused: reach =>
      `Er endet sofort, und das lässt sich nicht zurücknehmen. Reichweite: ${reach}. Noch hat nichts damit aufgerufen.`,
  },
};
