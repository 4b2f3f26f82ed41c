import { clean, dollars, NAME_LENGTH } from '../process/text.ts';
import { DELIVERIES_MOST } from './escalation.ts';
import { localDay } from './local-time.ts';
import { MOST_MAILS } from './mailing.ts';

/** As NoticeAbout (notice.ts). */
type About = Readonly<Record<string, string | number>>;

export const GENUG_MAILS = `In einer Stunde waren es ${MOST_MAILS.most} solche E-Mails: Weitere stehen vorerst nur in der Liste (tocsin notices list).`;

const MORE = 'Bitten Sie, wer dieses System betreibt, die Grenze anzuheben,';

/** The words of the notices in German, one entry for each of NOTICE_KINDS. */
export const GERMAN = {
  call_failed: (about: About) => ({
    subject: `EIN AUFRUF IST GESCHEITERT: ${source(about)}`,
    explanation: `Ein Aufruf von „${source(about)}“ wurde angenommen und ließ sich zehn Minuten lang nicht ausführen; er ist aufgegeben.`,
    todo: 'Sehen Sie nach, in welchem Zustand die Alarmanlage oder Notruftaste ist, senden Sie den Aufruf noch einmal, und sagen Sie es, wer dieses System betreibt.',
  }),
  nobody_to_alert: (about: About) => ({
    subject: `NIEMAND WURDE VERSTÄNDIGT: ${source(about)}`,
    explanation: `„${source(about)}“ wurde ausgelöst${opened(about)}, und es war niemand da, der zu verständigen wäre.`,
    todo: 'Geben Sie dem Modus oder der Notruftaste einen Alarmplan, der mindestens eine Person nennt, und proben Sie ihn.',
  }),
  escalation_capped: (about: About) => ({
    subject: `NICHT ALLE NACHRICHTEN GEPLANT: ${source(about)}`,
    explanation: `Der Alarmplan von „${source(about)}“, ausgelöst${opened(about)}, verlangt mehr als ${DELIVERIES_MOST} Nachrichten: Die ersten ${DELIVERIES_MOST} sind geplant, der Rest entfällt.`,
    todo: 'Lassen Sie den Alarmplan mit weniger Runden, Schritten, Personen oder Kanälen auskommen; der Verlauf des Vorfalls sagt, wie viele entfielen.',
  }),
  nobody_reached: (about: About) => ({
    subject: `NIEMAND WURDE VERSTÄNDIGT: ${source(about)}`,
    explanation:
      about.because === undefined
        ? `„${source(about)}“ wurde ausgelöst${opened(about)}, und die Verständigung ließ sich nicht planen: Niemand wurde verständigt.`
        : `„${source(about)}“ wurde ausgelöst${opened(about)}, und jede Nachricht ist bisher gescheitert oder hatte keinen Weg: Niemand wurde verständigt.`,
    todo:
      about.because === undefined
        ? 'Speichern Sie den Alarmplan und die Personen, die er nennt, noch einmal, proben Sie ihn, und sagen Sie es, wer dieses System betreibt.'
        : 'Verständigen Sie diese Personen selbst. Der Verlauf des Vorfalls sagt, woran jede Nachricht gescheitert ist; beheben Sie es dann und proben Sie.',
  }),
  exhausted: (about: About) => ({
    subject: `NIEMAND HAT GEANTWORTET: ${source(about)}`,
    explanation: `Der Alarmplan von „${source(about)}“, ausgelöst${opened(about)}, ist zu Ende, und niemand hat geantwortet.`,
    todo: 'Der Verlauf des Vorfalls sagt, was wo ankam; nehmen Sie Personen, Kanäle oder Runden in den Alarmplan auf.',
  }),
  step_late: (about: About) => ({
    subject: `VERSPÄTET: ${source(about)}`,
    explanation: `${step(about)} für „${source(about)}“, ausgelöst${opened(about)}, kam ${late(about)}zu spät.`,
    todo: 'Sagen Sie es, wer dieses System betreibt: Sein Protokoll und seine Last zu dieser Zeit zeigen den Grund.',
  }),
  step_missed: (about: About) => ({
    subject: `NICHT RECHTZEITIG GESENDET: ${source(about)}`,
    explanation: `${step(about)} für „${source(about)}“, ausgelöst${opened(about)}, entfiel: Keine seiner Nachrichten wurde versucht.`,
    todo: 'Sagen Sie es, wer dieses System betreibt: Sein Protokoll zu dieser Zeit zeigt den Grund. Verständigen Sie diese Personen selbst, wenn es noch wichtig ist.',
  }),
  spend_warning: (about: About) => ({
    subject: 'Das meiste, was heute ausgegeben werden darf, ist ausgegeben',
    explanation: `SMS und Anrufe von heute kosteten ${dollars(Number(about.cents ?? 0))}${cap(about)}.`,
    todo: `Nachrichten echter Vorfälle gehen trotzdem hinaus. ${MORE} wenn auch Proben und Codes hinausgehen sollen.`,
  }),
  spend_capped: (about: About) => ({
    subject: 'Was heute ausgegeben werden darf, ist ausgegeben',
    explanation: `SMS und Anrufe von heute kosteten ${dollars(Number(about.cents ?? 0))}${cap(about)}: Proben und Codes werden bis Mitternacht UTC abgelehnt.`,
    todo: `Nachrichten echter Vorfälle gehen weiter hinaus. ${MORE} wenn das so gedacht war, sonst sehen Sie nach, wer so viele sendet.`,
  }),
  spend_ceiling: (about: About) => ({
    subject: `HEUTE KEINE SMS UND ANRUFE MEHR${ofOneSource(about, ': ')}`,
    explanation: `SMS und Anrufe von heute${ofOneSource(about, ' zu ')} kosteten ${dollars(Number(about.cents ?? 0))} von ${dollars(Number(about.ceilingCents ?? 0))}, die ${about.sourceName === undefined ? 'ein Konto' : 'eine Quelle'} am Tag brauchen darf: Bis Mitternacht UTC gehen echte Alarme über die anderen Kanäle, bis auf die erste SMS und den ersten Anruf an jede Person.`,
    todo: 'Sehen Sie nach, was so oft ausgelöst wurde, und nehmen Sie E-Mail, Push oder Webhook in die Alarmpläne auf. Wer dieses System betreibt, kann die Grenze anheben.',
  }),
  sources_deactivated: (about: About) => ({
    subject: 'Der Tarif hat Alarmanlagen ausgeschaltet',
    explanation: `Der Tarif erlaubt weniger Alarmanlagen und Notruftasten, als es gibt. Ausgeschaltet: ${counted(about.sources)}. Wer sie aufruft, bekommt 404.`,
    todo: 'Wählen Sie einen Tarif, der für sie reicht, oder löschen Sie andere: Dann sind sie von selbst wieder eingeschaltet.',
  }),
};

function source({ sourceName }: About): string {
  return clean(String(sourceName ?? ''), NAME_LENGTH) || '(ohne Namen)';
}

function ofOneSource(about: About, before: string): string {
  return about.sourceName === undefined ? '' : `${before}„${source(about)}“`;
}

function opened({ openedAt, timeZone }: About): string {
  const at = localDay(String(openedAt ?? ''), String(timeZone ?? 'UTC'));
  if (at === null) return '';
  const [year, month, day] = at.day.split('-');
  return ` am ${day}.${month}.${year} um ${at.time} ${at.zone}`;
}

function step({ step, round }: About): string {
  if (step === undefined) return 'Ein Schritt des Alarmplans';
  const ofRound = Number(round ?? 0) === 0 ? '' : ` der Runde ${Number(round) + 1}`;
  return `Schritt ${Number(step) + 1}${ofRound} des Alarmplans`;
}

function late({ lateS }: About): string {
  return lateS === undefined ? '' : `${Math.round(Number(lateS))} s `;
}

function cap({ capCents }: About): string {
  return capCents === undefined ? '' : ` von ${dollars(Number(capCents))}, die am Tag erlaubt sind`;
}

function counted(sources: string | number | undefined): string {
  return typeof sources === 'string' ? clean(sources, 300) : String(sources ?? 'einige');
}
