import { DELIVERIES_MOST } from '../../../domain/escalation.ts';
import type { NoticeFacts } from '../types.ts';
import type { OwnerWords } from '../words.ts';
import { triedWords } from './changes.ts';

const OPERATOR = 'dem Betreiber dieses Tocsin-Servers';

const of: OwnerWords['notices']['of'] = {
  call_failed: about => ({
    subject: `EIN AUFRUF IST GESCHEITERT: ${about.source}`,
    explanation: `Ein Aufruf von „${about.source}“ wurde angenommen, ließ sich aber zehn Minuten lang nicht ausführen und wurde aufgegeben.`,
    todo: `Prüfen Sie den Zustand des Alarms oder Notrufknopfs, senden Sie den Aufruf noch einmal, und sagen Sie es ${OPERATOR}.`,
  }),
  nobody_to_alert: about => ({
    subject: `NIEMAND WURDE VERSTÄNDIGT: ${about.source}`,
    explanation: `„${about.source}“ wurde ausgelöst${opened(about)}, und es gab niemanden, den man hätte verständigen können.`,
    todo: 'Geben Sie dem Modus oder dem Notrufknopf einen Alarmplan mit mindestens einer Person, und proben Sie ihn.',
  }),
  escalation_capped: about => ({
    subject: `NICHT ALLE NACHRICHTEN GEPLANT: ${about.source}`,
    explanation: `Der Alarmplan von „${about.source}“, ausgelöst${opened(about)}, verlangt mehr als ${DELIVERIES_MOST} Nachrichten: Nur die ersten ${DELIVERIES_MOST} sind geplant.`,
    todo: 'Verwenden Sie im Alarmplan weniger Runden, Schritte, Personen oder Kanäle. Der Verlauf des Vorfalls zeigt, wie viele Nachrichten entfielen.',
  }),
  nobody_reached: about => ({
    subject: `NIEMAND WURDE VERSTÄNDIGT: ${about.source}`,
    explanation: `„${about.source}“ wurde ausgelöst${opened(about)}, ${about.because === 'all_failed' ? 'aber bisher ist jede Nachricht gescheitert, oder für ihren Kanal ist nichts eingerichtet' : 'aber die Verständigung ließ sich nicht planen'}: Niemand wurde verständigt.${goesNow(about)}`,
    todo:
      about.because === 'all_failed'
        ? 'Verständigen Sie diese Personen selbst. Der Verlauf des Vorfalls zeigt, woran jede Nachricht gescheitert ist: Beheben Sie es, und proben Sie.'
        : `Speichern Sie den Alarmplan und seine Personen noch einmal, proben Sie ihn, und sagen Sie es ${OPERATOR}.`,
  }),
  exhausted: about => ({
    subject: `NIEMAND HAT GEANTWORTET: ${about.source}`,
    explanation: `Der Alarmplan von „${about.source}“, ausgelöst${opened(about)}, ist zu Ende, und niemand hat geantwortet.${tried(about)}`,
    todo: 'Der Verlauf des Vorfalls zeigt, was wo ankam. Nehmen Sie Personen, Kanäle oder Runden in den Alarmplan auf.',
  }),
  step_late: about => ({
    subject: `VERSPÄTET: ${about.source}`,
    explanation: `${step(about)} für „${about.source}“, ausgelöst${opened(about)}, kam ${about.late} zu spät.`,
    todo: `Sagen Sie es ${OPERATOR}: Protokoll und Last zu dieser Zeit zeigen den Grund.`,
  }),
  step_missed: about => ({
    subject: `NICHT RECHTZEITIG GESENDET: ${about.source}`,
    explanation: `${step(about)} für „${about.source}“, ausgelöst${opened(about)}, entfiel: Keine seiner Nachrichten wurde versucht.`,
    todo: `Sagen Sie es ${OPERATOR}: Das Protokoll zu dieser Zeit zeigt den Grund. Wenn es noch wichtig ist, verständigen Sie diese Personen selbst.`,
  }),
  spend_warning: about => ({
    subject: 'Tageslimit für SMS und Anrufe fast erreicht',
    explanation: `SMS und Anrufe haben heute ${about.spent} gekostet${ofCap(about)}.`,
    todo: `Echte Alarme gehen in jedem Fall hinaus. Sollen es auch Proben und Codes, bitten Sie den Betreiber dieses Tocsin-Servers, das Limit anzuheben.`,
  }),
  spend_capped: about => ({
    subject: 'Tageslimit für SMS und Anrufe erreicht',
    explanation: `SMS und Anrufe haben heute ${about.spent} gekostet${ofCap(about)}. Proben und Codes werden bis Mitternacht UTC abgelehnt.`,
    todo: `Echte Alarme gehen weiter hinaus. Bitten Sie den Betreiber dieses Tocsin-Servers, das Limit anzuheben, oder sehen Sie nach, wer so viele sendet.`,
  }),
  spend_ceiling: about => ({
    subject: `HEUTE KEINE SMS UND ANRUFE MEHR${about.about === 'source' ? `: ${about.source}` : ''}`,
    explanation: `SMS und Anrufe${about.about === 'source' ? ` zu „${about.source}“` : ''} haben heute ${about.spent} gekostet, und ${about.about === 'source' ? 'ein Alarm oder Notrufknopf' : 'ein Konto'} darf am Tag ${about.ceiling} verbrauchen. Bis Mitternacht UTC gehen echte Alarme über die anderen Kanäle, bis auf die erste SMS und den ersten Anruf an jede Person.`,
    todo: `Sehen Sie nach, was so oft ausgelöst wurde, und nehmen Sie E-Mail, Push oder Webhook in die Alarmpläne auf. Für eine höhere Obergrenze fragen Sie den Betreiber dieses Tocsin-Servers.`,
  }),
  clock_stepped: about => ({
    subject: 'Schlüssel enden zu einer anderen Zeit',
    explanation: `Die Uhr des Tocsin-Servers wurde um ${about.clock.by} ${about.clock.direction === 'back' ? 'zurückgestellt' : 'vorgestellt'}. Was wartete, wartet so lange weiter, wie es noch musste. Deshalb enden ${about.names} nach heutiger Uhr um so viel ${about.clock.direction === 'back' ? 'früher' : 'später'}, als Sie gewählt haben.`,
    todo: 'Prüfen Sie, wann sie enden, und wählen Sie ein anderes Ende, wo das zu früh oder zu spät ist.',
  }),
  calls_stored_again: ({ calls, late }) => ({
    subject: 'Aufrufe kamen zu spät: Die Datenbank hatte sie verloren',
    explanation: `${calls === 1 ? 'Ein Aufruf dieses Kontos, der' : `${calls} Aufrufe dieses Kontos, die`} mit 202 beantwortet ${calls === 1 ? 'war, ging' : 'waren, gingen'} verloren, als ein anderer Server die Datenbank übernahm. ${calls === 1 ? 'Er wurde' : 'Sie wurden'} bis zu ${late} später der Reihe nach noch einmal gespeichert und dann ausgeführt.`,
    todo: 'Welche das sind, steht bei Aufrufe. Ein Alarm kann deshalb zweimal gekommen sein, und was Sie in dieser Zeit geändert oder bestätigt haben, kann zurückgenommen sein: Sehen Sie es noch einmal durch.',
  }),
  sources_deactivated: ({ sources }) => ({
    subject: 'Ihr Tarif hat Alarme abgeschaltet',
    explanation: `Ihr Tarif umfasst weniger Alarme und Notrufknöpfe, als es gibt. Abgeschaltet: ${sources || 'einige'}. Wer sie aufruft, bekommt 404.`,
    todo: 'Wählen Sie einen größeren Tarif, oder löschen Sie andere: Dann werden sie von selbst wieder eingeschaltet.',
  }),
  calls_limited: () => ({
    subject: 'AUFRUFE ABGELEHNT: zu viele',
    explanation:
      'Ein Schlüssel oder dieses Konto hat mehr Aufrufe gemacht, als eines darf: Manche wurden mit 429 beantwortet und nicht ausgeführt. Das wird einmal am Tag gemeldet.',
    todo: 'Unter Aufrufe steht, welche Quelle es ist und wie oft. Suchen Sie das Gerät, das so oft aufruft, oder geben Sie jedem Gerät einen eigenen Schlüssel.',
  }),
  calls_shed: () => ({
    subject: 'AUFRUFE ABGELEHNT: Server überlastet',
    explanation:
      'Es kamen mehr Aufrufe auf einmal, als der Server annimmt: Manche dieses Kontos wurden mit 503 beantwortet und nicht ausgeführt. Das wird einmal am Tag gemeldet.',
    todo: `Unter Aufrufe steht, welche Quelle es ist und wie oft. Prüfen Sie, ob das Gerät sie wiederholt hat, und sagen Sie es ${OPERATOR}.`,
  }),
};

function opened({ opened: at }: NoticeFacts): string {
  return at === null ? '' : ` am ${at.day.split('-').toReversed().join('.')} um ${at.time} ${at.zone}`;
}

function step({ step, round }: NoticeFacts): string {
  return step === null
    ? 'Ein Schritt des Alarmplans'
    : `Schritt ${step}${round > 1 ? ` der Runde ${round}` : ''} des Alarmplans`;
}

function goesNow({ step }: NoticeFacts): string {
  return step === null ? '' : ` Schritt ${step} geht jetzt hinaus.`;
}

function tried({ tried }: NoticeFacts): string {
  return tried === null ? '' : ` ${triedWords(tried)}`;
}

function ofCap({ cap }: NoticeFacts): string {
  return cap === '' ? '' : ` von ${cap}, die am Tag erlaubt sind`;
}

/** German. */
export const notices: OwnerWords['notices'] = {
  of,
  lastMail: most => `In einer Stunde waren es ${most} solche E-Mails. Weitere nennt nur: tocsin notices list.`,
};
