import type { SourceKind } from '../../../domain/source.ts';
import type { RehearsedMessage } from '../types.ts';
import type { OwnerWords } from '../words.ts';
import { channelName, listed, modeName } from './things.ts';

const OBSTACLES: Readonly<Record<string, string>> = {
  no_address: 'es gibt keine brauchbare Adresse',
  disabled: 'die Adresse ist abgeschaltet',
  not_verified: 'die Adresse ist noch nicht bestätigt',
  plan_required: 'der Tarif des Kontos umfasst es nicht',
  no_carrier: 'dafür ist nichts eingerichtet',
};

/** German. */
export const rehearsals: OwnerWords['rehearsals'] = {
  begun: (kind, name, mode) =>
    `${the(kind)} „${name}“ wurde zur Probe ausgelöst${mode === null ? '' : `, im Modus ${mode}`}: Es wird aufgezeichnet, und niemand wird verständigt.`,
  heldByGate: name => `Ein Gerät könnte jetzt nicht auslösen: „${name}“ alarmiert nur, wenn scharf, und ist unscharf.`,
  window: s =>
    `Sonst wartet ein Auslösen zuerst ${s} s in seiner Fehlalarm-Frist, in der ein Unscharfschalten es abbricht: Alles Folgende kommt dann ${s} s später.`,
  joined:
    'Es kam zum Vorfall eines früheren Auslösens dazu, der noch offen ist: Niemand wird erneut verständigt. Es folgt, wen jener Vorfall verständigt.',
  noPolicy: 'Ein Vorfall beginnt, und es gibt niemanden zu verständigen: Es fehlt ein Alarmplan.',
  emptyPolicy: policy =>
    `Ein Vorfall beginnt, und es gibt niemanden zu verständigen: Der Alarmplan „${policy}“ nennt niemanden.`,
  opens: policy => `Ein Vorfall beginnt und folgt dem Alarmplan „${policy}“.`,
  message: on => `${telling(on)} (${on.round === null ? '' : `Runde ${on.round}, `}Schritt ${on.step}).`,
  last: 'Das war die letzte Nachricht: Sonst wird niemand verständigt.',
  leftOut: (policy, detail) =>
    `Der Alarmplan „${policy}“ verlangt mehr Nachrichten, als ein Vorfall haben darf: Der Rest (${detail}) entfällt.`,

  disabled: name => `„${name}“ ist abgeschaltet, nichts löst aus: Schalten Sie ihn ein, und proben Sie dann.`,
  deactivated: name =>
    `„${name}“ ist abgeschaltet, seit der Tarif kleiner wurde: Wechseln Sie in einen, der ihn umfasst, und proben Sie dann.`,
  live: name => `„${name}“ ist live, ein Auslösen würde Personen verständigen: Schalten Sie ihn zuerst in den Test.`,
  liveOpen: name => `„${name}“ hat einen echten Vorfall offen: Proben Sie, wenn er beendet ist.`,
  liveWaits: name =>
    `„${name}“ wurde im Ernst ausgelöst und ist in der Fehlalarm-Frist: Proben Sie, wenn sie vorbei ist.`,
  modeMissing: (name, mode, has) =>
    `„${name}“ hat den Modus ${modeName(mode ?? '')} nicht: Nehmen Sie einen, den er hat (${listed(has.map(modeName)) || 'keinen'}), oder fügen Sie ihn hinzu.`,
  unread: traceId =>
    `Die Probe lief, aber was geschah, lässt sich gerade nicht lesen: Suchen Sie gleich unter Aufrufe nach ${traceId}, und beenden Sie ihren Vorfall.`,
};

function the(kind: SourceKind): string {
  return kind === 'panic_button' ? 'Der Notrufknopf' : 'Der Alarm';
}

function telling({ name, channel: word, fate, reason, insteadOf }: RehearsedMessage): string {
  const channel = channelName(word);
  switch (fate) {
    case 'told':
      return `${name} wird per ${channel}${insteadOf === '' ? '' : ` statt per ${channelName(insteadOf)}`} verständigt`;
    case 'cancelled':
      return `${name} wird per ${channel} nicht mehr verständigt: Es war vorher zu Ende`;
    case 'blocked':
      return `${name} wird per ${channel} nicht verständigt, denn ${OBSTACLES[reason] ?? reason}`;
  }
}
