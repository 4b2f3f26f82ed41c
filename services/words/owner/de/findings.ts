import type { ChannelKind } from '../../../domain/delivery.ts';
import { DELIVERIES_MOST } from '../../../domain/escalation.ts';
import type { Finding, Instead } from '../../../domain/readiness.ts';
import { MOST_NAMES, MOST_SOURCES, minute, say, update } from '../finding-parts.ts';
import type { FindingSource, FindingWords } from '../types.ts';
import type { OwnerWords } from '../words.ts';
import { channelName, listed, modeName } from './things.ts';

/** German. */
export const findings: OwnerWords['findings'] = {
  of: sayFinding,
  ofAccount: sayOfAccount,
  firstDaysEnd: sayFirstDaysEnd,
};

function sayOfAccount({ owners, mail }: Parameters<OwnerWords['findings']['ofAccount']>[0]): FindingWords {
  const carrier = mail === 'carrier' ? '' : 'Setzen Sie SMTP_URL, wo Tocsin läuft: Ohne das bekommt niemand E-Mail. ';
  return owners === 'none'
    ? say(
        'Das Konto hat keinen Inhaber, der erfährt, wenn ein Alarm niemanden erreicht.',
        `${carrier}Laden Sie einen ein, der dann seine Adresse bestätigt: tocsin members invite you@example.com --role owner.`,
      )
    : say(
        'Niemand erfährt, wenn ein Alarm niemanden erreicht: Noch kein Inhaber hat seine Adresse bestätigt.',
        `${carrier}Öffnen Sie den Link in der E-Mail an den Inhaber, oder melden Sie sich mit dieser Adresse an; noch einmal senden: tocsin members invite-again <email>.`,
      );
}

function sayFinding(finding: Finding, source: FindingSource): FindingWords {
  const { mode } = finding;
  switch (finding.code) {
    case 'disabled':
      return say(
        'Er ist abgeschaltet: Jeder Aufruf bekommt 404, und nichts löst aus.',
        `Schalten Sie ihn ein: ${update(source)} --enable.`,
      );
    case 'deactivated':
      return say(
        'Seit der Tarif kleiner wurde, umfasst er ihn nicht mehr: Jeder Aufruf bekommt 404.',
        'Wechseln Sie in einen Tarif, der ihn umfasst, oder löschen Sie, was Sie nicht mehr brauchen.',
      );
    case 'no_policy':
      return say(
        `${mode === null ? 'Er' : `Der Modus ${modeName(mode)}`} hat keinen Alarmplan: Ein Auslösen öffnet einen Vorfall, aber niemand wird verständigt.`,
        `Wählen Sie einen Alarmplan, der jemanden nennt: ${update(source)} ${mode === null ? '--policy …' : `--mode ${mode}:policy=…`}.`,
      );
    case 'links_unreachable':
      return say(
        'Die Links in den Nachrichten führen zu dem Rechner, auf dem Tocsin läuft: Niemand sonst kann sie öffnen und antworten.',
        'Setzen Sie PUBLIC_URL, wo Tocsin läuft, auf eine Adresse, die Telefone erreichen; tocsin doctor schlägt welche vor.',
      );
    case 'answers_lost':
      return say(ANSWERS_LOST[finding.from][finding.channel], OUTSIDE_URL);
    case 'in_test':
      return sayInTest(finding.switches, source);
    case 'no_away_mode':
      return say(
        'Der Modus Abwesend fehlt: Ohne ihn bekommt ein Auslösen ohne Modus 404, solange unscharf ist, und ein Scharfschalten ohne Modus führt in ihn.',
        `Fügen Sie den Modus hinzu, mit einem Alarmplan: ${update(source)} --mode away:policy=….`,
      );
    case 'armed_mode_missing':
      return say(
        `Er ist scharf im Modus ${modeName(mode ?? '')}, den er nicht mehr hat: Ein Auslösen ohne Modus ${finding.bare === 'runs_away' ? 'folgt dem Alarmplan von Abwesend' : 'bekommt 404'}.`,
        `Schalten Sie ihn in einem Modus scharf, den er hat, oder fügen Sie diesen wieder hinzu: ${update(source)} --mode ${mode}:policy=….`,
      );
    case 'calls_limited':
      return say(
        `${finding.calls === 1 ? 'Ein Aufruf wurde' : `${finding.calls} Aufrufe wurden`} am letzten Tag abgelehnt (429), weil sein Schlüssel oder das Konto zu oft aufrief.`,
        'Suchen Sie das Gerät, das so oft aufruft, tocsin calls list --outcome limited, oder geben Sie jedem Gerät einen eigenen Schlüssel.',
      );
    case 'calls_shed':
      return say(
        `${finding.calls === 1 ? 'Ein Aufruf wurde' : `${finding.calls} Aufrufe wurden`} am letzten Tag abgelehnt (503), weil mehr auf einmal kamen, als der Server annimmt.`,
        'Prüfen Sie, ob das Gerät sie wiederholt hat, tocsin calls list --outcome shed, und sagen Sie es dem Betreiber des Servers.',
      );
    case 'no_location_address':
      return say(
        `Sein Ort „${source.location.name}“ hat keine Adresse: Wer verständigt wird, erfährt nicht, wohin.`,
        `Geben Sie dem Ort seine Adresse: tocsin locations update ${source.location.key} --address "…".`,
      );
    default:
      return sayOfPolicy(finding);
  }
}

const OUTSIDE_URL =
  'Setzen Sie PUBLIC_URL, wo Tocsin läuft, auf eine Adresse, die das ganze Internet erreicht, etwa einen Namen hinter einem Proxy oder Tunnel.';

/** By from where people can respond, and the channel. */
const ANSWERS_LOST: Record<'network' | 'nowhere', Record<ChannelKind, string>> = {
  network: {
    text: 'Auf seine SMS kann niemand antworten, weil der Dienst PUBLIC_URL nicht erreicht; ihre Links öffnen sich nur im Netz dieser Adresse.',
    call: 'Bei seinen Anrufen kann niemand übernehmen, weil der Dienst PUBLIC_URL nicht erreicht.',
    email: 'Die Links in seinen E-Mails öffnen sich nur im Netz von PUBLIC_URL: Anderswo kann niemand antworten.',
    push: 'Die Links in seinen Push-Nachrichten öffnen sich nur im Netz von PUBLIC_URL: Anderswo kann niemand antworten.',
    webhook: 'Die Links in seinen Webhooks öffnen sich nur im Netz von PUBLIC_URL.',
  },
  nowhere: {
    text: 'Auf seine SMS kann niemand antworten: Der Dienst erreicht PUBLIC_URL nicht, und kein Telefon öffnet Links dorthin.',
    call: 'Bei seinen Anrufen kann niemand übernehmen, weil der Dienst PUBLIC_URL nicht erreicht: Sie sagen nur, was geschah.',
    email: 'Die Links in seinen E-Mails öffnen sich nur auf dem Rechner, auf dem Tocsin läuft.',
    push: 'Die Links in seinen Push-Nachrichten öffnen sich nur auf dem Rechner, auf dem Tocsin läuft.',
    webhook: 'Die Links in seinen Webhooks öffnen sich nur auf dem Rechner, auf dem Tocsin läuft.',
  },
};

function sayInTest(switches: readonly ('source' | 'location')[], source: FindingSource): FindingWords {
  const { key, location } = source;
  const which = { source: 'sein eigener Schalter', location: `der Schalter seines Ortes „${location.name}“` };
  const off = { source: `${update(source)} --live`, location: `tocsin locations update ${location.key} --live` };
  const are = switches.map(one => which[one]).join(' und ');
  return say(
    `Er ist im Test, denn ${are} ${switches.length === 1 ? 'steht' : 'stehen'} auf Test: Ein Auslösen wird aufgezeichnet, und niemand wird verständigt.`,
    `Proben Sie ihn, tocsin rehearse ${key}, und schalten Sie ihn dann live: ${switches.map(one => off[one]).join(' und ')}.`,
  );
}

function sayOfPolicy(finding: Extract<Finding, { policy: string }>): FindingWords {
  const The = `Der Alarmplan „${finding.policy}“`;
  switch (finding.code) {
    case 'escalation_capped':
      return say(
        `${The} verlangt ${finding.messages} Nachrichten in einem Vorfall: Nur die ersten ${DELIVERIES_MOST} werden gesendet.`,
        'Verwenden Sie weniger Runden, Schritte, Personen oder Kanäle.',
      );
    case 'nobody_in_step':
      return say(
        `${The} ${finding.steps.length === 0 ? 'hat keine Schritte' : `nennt niemanden in ${stepsInWords(finding.steps)}`}.`,
        'Nennen Sie in jedem Schritt mindestens eine Person.',
      );
    case 'no_reachable_contact':
      return say(
        `In ${stepsInWords(finding.steps)} von „${finding.policy}“ ist niemand zu erreichen: nicht ${people(finding.people)}.`,
        'Geben Sie jemandem davon eine bestätigte Adresse auf einem Kanal, der eingerichtet und im Tarif ist, oder nennen Sie jemand anderen.',
      );
    case 'no_address_for_channel':
      return say(
        `${The} verständigt ${people(finding.people)} per ${channelName(finding.channel)}, wo es keine brauchbare Adresse gibt.${inPlace(finding)}`,
        `Tragen Sie eine Adresse für ${channelName(finding.channel)} ein, oder nehmen Sie im Alarmplan einen anderen Kanal.`,
      );
    case 'not_verified': {
      const { channel, people: who } = finding;
      const commands = who.slice(0, MOST_NAMES).map(one => `tocsin contacts verify ${one.key ?? one.id} ${channel}`);
      return say(
        `${The} verständigt ${people(who)} per ${channelName(channel)}, wo die Adresse nicht bestätigt ist: Kein Alarm geht dorthin.${inPlace(finding)}`,
        `Senden Sie einen Code dorthin, und geben Sie ihn ein: ${listed(commands)}.`,
      );
    }
    case 'plan_required':
      return say(
        `Der Tarif umfasst ${channelName(finding.channel)} nicht, womit der Alarmplan „${finding.policy}“ ${people(finding.people)} verständigt.${inPlace(finding)}`,
        'Wechseln Sie in den bezahlten Tarif, oder nehmen Sie im Alarmplan E-Mail.',
      );
    case 'no_carrier':
      return say(
        `Für ${channelName(finding.channel)} ist nichts eingerichtet, womit der Alarmplan „${finding.policy}“ ${people(finding.people)} verständigt.${inPlace(finding)}`,
        `Richten Sie ${channelName(finding.channel)} ein, oder nehmen Sie im Alarmplan einen Kanal, der eingerichtet ist.`,
      );
    case 'plan_ends':
      return say(
        `Der Tarif umfasst ${channelName(finding.channel)} nur bis ${minute(finding.at)} UTC; der Alarmplan „${finding.policy}“ verständigt damit ${people(finding.people)}.`,
        'Wechseln Sie vorher in den bezahlten Tarif, oder nehmen Sie im Alarmplan E-Mail.',
      );
    case 'only_one_person':
      return say(
        `${The} nennt nur ${finding.person}: Antwortet diese Person nicht, antwortet niemand.`,
        'Nennen Sie eine zweite Person in einem späteren Schritt.',
      );
  }
}

function sayFirstDaysEnd(
  { at, channels, sources, covered }: Parameters<OwnerWords['findings']['firstDaysEnd']>[0],
  _plan: string,
): FindingWords {
  const more = sources.length > MOST_SOURCES ? [`${sources.length - MOST_SOURCES} weitere`] : [];
  const off = [
    ...(channels.length === 0 ? [] : [`Nachrichten per ${listed(channels.map(channelName))}`]),
    ...(sources.length === 0
      ? []
      : [
          `${[...sources.slice(0, MOST_SOURCES), ...more].join(', ')} (er umfasst ${covered} Alarme und Notrufknöpfe zusammen)`,
        ]),
  ];
  return say(
    `Die ersten 14 Tage des Kontos enden am ${minute(at)} UTC: Dann schaltet der Tarif ab: ${off.join(', und ')}.`,
    `Wechseln Sie vorher in den bezahlten Tarif${sources.length === 0 ? '' : ', oder schalten Sie ab, was Sie am wenigsten brauchen'}.`,
  );
}

/** What goes in the place of messages that would not reach people. */
function inPlace({ instead }: { instead: readonly Instead[] }): string {
  if (instead.length === 0) return '';
  const ways = instead.map(one => `per ${channelName(one.channel)} an ${people(one.people)}`);
  return ` Stattdessen geht der Alarm ${listed(ways)}.`;
}

function people(named: readonly { name: string }[]): string {
  const names = named.map(({ name }) => name);
  if (names.length <= MOST_NAMES) return listed(names);
  return listed([...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} weitere`]);
}

function stepsInWords(numbers: readonly number[]): string {
  return numbers.length === 1 ? `Schritt ${numbers[0]}` : `den Schritten ${listed(numbers.map(String))}`;
}
