import { dollars } from '../../../process/text.ts';
import type { OperatorAct } from '../types.ts';
import type { OwnerWords } from '../words.ts';
import { members } from './members.ts';
import { channelName, KINDS, listed, modeName, THINGS } from './things.ts';

const OPERATOR_ACTS: Readonly<Record<OperatorAct, string>> = {
  change_ceiling: 'Die Tagesobergrenze ändert',
  change_plan: 'Den Tarif ändert',
  create_account: 'Ein Konto erstellt',
  create_token: 'Ein Konsolen-Token erstellt',
  delete_account: 'Ein Konto löscht',
  erase_account: 'Ein Konto endgültig löscht',
  list_accounts: 'Alle Konten sieht',
  list_deleted: 'Gelöschte Konten sieht',
  make_backup: 'Eine Sicherung macht',
  raise_cap: 'Das Tageslimit erhöht oder entfernt',
  see_backups: 'Die Sicherungen sieht',
};

const GOING_ON = {
  calls: 'Angenommene Aufrufe sind noch nicht ausgeführt',
  incidents: 'Ein Vorfall wird noch beendet',
  messages: 'Eine Nachricht ist noch unterwegs',
};

const VERBS: Readonly<Record<string, string>> = {
  acknowledge: 'Das Übernehmen',
  close: 'Das Beenden',
  trigger: 'Das Auslösen',
};

/** German. */
export const refusals: OwnerWords['refusals'] = {
  noSuch: (thing, near) => `${THINGS[thing].no} gibt es nicht${near === '' ? '.' : `: Meinten Sie „${near}“?`}`,
  noSession: 'Sie haben keine solche Sitzung.',
  streamOfFormerAccount: 'Sie sind nicht mehr Mitglied des Kontos, dem Sie hier folgen: Laden Sie neu.',
  noCall:
    'In diesem Konto gibt es keinen Aufruf mit dieser traceId. Lesende Aufrufe (describe, state) werden nicht gespeichert, und alte Aufrufe werden entfernt.',
  noAccount: 'Es gibt kein Konto mit dieser Id.',
  accountGone: 'Dieses Konto gibt es nicht mehr.',
  severalAccounts: 'Sie sind Mitglied mehrerer Konten: Nennen Sie in x-tocsin-account, um welches es geht.',
  operatorNamesNone: 'Mit dem Token des Betreibers muss x-tocsin-account das Konto nennen.',

  keyTaken: (thing, key) => `„${key}“ gehört schon ${THINGS[thing].another}: Wählen Sie etwas anderes.`,
  changedMeanwhile: (thing, read, now) =>
    `${THINGS[thing].this} hat inzwischen Version ${now}, Ihre Änderung ist für Version ${read}: Laden Sie neu, und ändern Sie dann.`,
  inUse: (thing, users, more) => {
    const by = users.map(({ kind, name, key }) => `${KINDS[kind] ?? kind} „${name}“ (${key})`);
    return `${THINGS[thing].this} wird noch verwendet: ${by.join(', ')}${more > 0 ? ` und ${more} weitere` : ''}. Ändern Sie zuerst das.`;
  },
  armedIn: (name, mode) =>
    `„${name}“ ist im Modus ${modeName(mode)} scharf, und den löscht diese Änderung; Aufrufe ohne Modus würden dann den Modus Abwesend nehmen. ` +
    'Schalten Sie erst unscharf, oder bestätigen Sie die Änderung (force).',
  unbinds: (name, modes) =>
    `Mit dieser Änderung hat „${name}“ keinen Alarmplan mehr für ${listed(modes.map(modeName))}: Ein Auslösen dort würde niemanden verständigen. ` +
    'Wählen Sie einen, oder bestätigen Sie die Änderung (force).',
  keyRevoked: label => `„${label}“ ist widerrufen und bleibt es: Erstellen Sie einen anderen Schlüssel.`,
  planLimit: ({ sourcesMost, sources }) =>
    `Der Tarif umfasst ${sourcesMost} Alarme und Notrufknöpfe zusammen; mit dieser Änderung wären ${sources} eingeschaltet. ` +
    `Schalten Sie ${sources - sourcesMost} davon ab, löschen Sie sie, oder wechseln Sie in den bezahlten Tarif.`,

  operatorOnly: act => `${OPERATOR_ACTS[act]} nur der Betreiber.`,
  noBackups:
    'Für Sicherungen ist kein Ordner eingerichtet: Setzen Sie dort, wo Tocsin läuft, BACKUP_DIR und BACKUP_PASSPHRASE.',
  roleTooLow: (needed, role) =>
    `Dafür braucht es in diesem Konto mindestens die Rolle „${roleName(needed)}“, Ihre ist „${roleName(role)}“: Fragen Sie einen Inhaber des Kontos.`,
  accountStillThere:
    'Dieses Konto gibt es noch: Löschen Sie es zuerst, und löschen Sie dann endgültig, was von ihm blieb.',
  notOver: goingOn =>
    `Das Konto lässt sich noch nicht löschen: ${GOING_ON[goingOn]}. Versuchen Sie es in einer Minute noch einmal.`,

  memberAlready: email => `„${email}“ ist in diesem Konto schon Mitglied.`,
  membersFull: most => `Dieses Konto hat ${most} Mitglieder, mehr kann keines haben: Entfernen Sie zuerst eines.`,
  lastOwner: 'Das ist der letzte Inhaber des Kontos: Machen Sie zuerst ein anderes Mitglied zum Inhaber.',
  tooManyInvitations: (most, retryAfterS) =>
    `Zu viele Einladungen: Ein Konto sendet höchstens ${most} in der Minute. Versuchen Sie es in ${retryAfterS} s noch einmal.`,
  confirmedAlready: 'Dieses Mitglied hat die Adresse schon bestätigt.',
  noConfirmation:
    'Dieser Link gilt nicht oder nicht mehr: Bitten Sie um eine neue Einladung, oder melden Sie sich mit Ihrer Adresse an.',

  notSignedIn: 'Melden Sie sich zuerst an.',
  sessionEnded: 'Diese Sitzung ist zu Ende oder gilt nicht: Melden Sie sich noch einmal an.',
  badToken:
    'Das Konsolen-Token fehlt oder gilt nicht. Senden Sie "authorization: Bearer tcn_…" mit einem Konsolen-Token; ein API-Schlüssel öffnet hier nichts.',
  tokenEnded: at => `Dieses Konsolen-Token endete ${at}. Bitten Sie den Betreiber um ein neues.`,
  linkNeedsToken:
    'Einen Link zum Anmelden macht nur ein Konsolen-Token, keine Sitzung: Melden Sie sich auf dem anderen Gerät selbst an.',
  signIn: {
    emailCode:
      'Dieser Code gilt nicht. Sehen Sie in der neuesten E-Mail nach, oder lassen Sie sich einen neuen senden.',
    link: 'Dieser Link gilt nicht mehr: Er öffnet einmal, innerhalb von 30 Minuten. Einen neuen macht: tocsin sign-in-link.',
    consoleToken: 'Dieses Konsolen-Token gilt nicht.',
    oidcAnswer: 'Der Anmeldedienst hat niemanden angemeldet, der hier Mitglied ist.',
    none: 'Zum Anmelden braucht es einen Code aus einer E-Mail, einen Link oder ein Konsolen-Token.',
  },
  tooManySignInCodes: (most, retryAfterS) =>
    `Von Ihrer Adresse wurden zu viele Codes angefordert: höchstens ${most} in der Minute. Versuchen Sie es in ${retryAfterS} s noch einmal.`,
  oidcAway: 'Der Anmeldedienst antwortet nicht. Versuchen Sie es noch einmal, oder melden Sie sich anders an.',
  noOidc: 'Es ist kein Anmeldedienst eingerichtet: OIDC_ISSUER.',
  openLine:
    'Diese Verbindung ist nicht verschlüsselt, und hier darf sich so niemand anmelden. Öffnen Sie die https-Adresse.',

  tooManyCalls: retryAfterS =>
    `Dieses Konto hat zu viele Aufrufe gemacht. Warten Sie ${retryAfterS === 1 ? 'eine Sekunde' : `${retryAfterS} Sekunden`}, und versuchen Sie es noch einmal.`,
  tooManyAtOnce: 'Das waren zu viele Aufrufe auf einmal. Warten Sie eine Sekunde.',
  tooMuchUnderWay: 'Gerade ist zu viel zu tun. Versuchen Sie es noch einmal.',
  tooManyChanges: 'Gerade wird zu viel geändert. Nichts wurde gespeichert: Versuchen Sie es noch einmal.',
  tooManyWaiting: most =>
    `Es warten schon ${most} Änderungen dieses Kontos. Nichts wurde gespeichert: Versuchen Sie es noch einmal, wenn sie erledigt sind.`,
  diskLow:
    'Die Festplatte der Datenbank ist fast voll, und was frei ist, bleibt für Alarme. Nichts wurde geändert: Der Betreiber muss zuerst Platz schaffen.',
  changedTooMuch: retryAfterS =>
    `Dieses Konto hat mehr geändert, als das Protokoll eines Kontos aufnimmt. Nichts wurde geändert: Versuchen Sie es in ${retryAfterS} s noch einmal, oder bitten Sie den Betreiber, ACCOUNT_LIMITS zu erhöhen.`,
  thingsFull: (thing, most) =>
    `${KINDS[thing]}: Ein Konto kann ${most} davon haben, und mit dieser Änderung wären es mehr. Löschen Sie, was nicht gebraucht wird, oder bitten Sie den Betreiber, ACCOUNT_LIMITS zu erhöhen.`,
  tooManyFiles: 'Gerade werden zu viele große Dateien gelesen: Versuchen Sie es gleich noch einmal.',
  tooManyDrills: (most, retryAfterS) =>
    `Zu viele Proben: Ein Konto hat höchstens ${most} in der Minute. Versuchen Sie es in ${retryAfterS} s noch einmal.`,
  tooMuchChanged: 'Auf einmal hat sich zu viel geändert. Laden Sie neu.',
  overSpend: ({ limit, spent, most, channel, until }) =>
    `${limit === 'cap' ? 'spend_capped' : 'spend_ceiling'}: SMS und Anrufe haben heute etwa ${dollars(spent)} gekostet, und ${limit === 'cap' ? 'das Tageslimit' : 'die Tagesobergrenze'} ist ${dollars(most)}. ` +
    `Proben und Codes per ${channelName(channel)} gibt es bis ${until} nicht. Nehmen Sie einen anderen Kanal, oder bitten Sie den Betreiber um mehr.`,

  notYetApplied: (verb, traceId) =>
    `${VERBS[verb] ?? verb} ist gespeichert und kommt noch: Tun Sie es nicht noch einmal, und suchen Sie gleich unter Aufrufe nach ${traceId}.`,
  appliedUnread: (verb, outcome, traceId) =>
    `${VERBS[verb] ?? verb} ist geschehen (${outcome}, traceId ${traceId}), nur der Vorfall lässt sich gerade nicht lesen: Sehen Sie gleich nach.`,

  unreadable: (type, why) =>
    `Der Inhalt dieses Aufrufs ist nicht als ${type} lesbar (${why}). Nichts wurde ausgeführt: Senden Sie die Nachricht so, wie ihr Proto sie beschreibt.`,
  tooLarge: most =>
    `Die Nachricht dieses Aufrufs ist zu groß: Diese Methode nimmt ${most} Bytes, komprimiert oder nicht. Nichts wurde ausgeführt.`,
  zeroCharacter: 'Ein Text enthält das Zeichen U+0000, das nicht gespeichert werden kann: Lassen Sie es weg.',
  commitLost:
    'Die Datenbank hat das Speichern nicht bestätigt, es kann also gespeichert sein oder nicht: Sehen Sie nach, bevor Sie es noch einmal versuchen.',
  ourFault: 'Bei uns ist etwas schiefgegangen.',
  overloaded: 'Gerade ist zu viel zu tun. Nichts wurde gespeichert: Versuchen Sie es noch einmal.',
  servicesAway: 'Tocsin ist gerade nicht erreichbar.',
  noAnswer: 'Die Antwort kam nicht rechtzeitig.',
  databaseAway: 'Die Datenbank ist gerade nicht zu erreichen. Nichts wurde gespeichert: Versuchen Sie es noch einmal.',
};

function roleName(role: string): string {
  return (members.roles as Readonly<Record<string, string>>)[role] ?? role;
}
