import type { CallWords } from '../types.ts';
import type { OwnerWords } from '../words.ts';

/** German. */
export const calls: OwnerWords['calls'] = {
  accepted: say(
    'Der Aufruf ist gespeichert und wird gleich ausgeführt.',
    'Sehen Sie gleich noch einmal nach; wartet er nach einer Minute noch, hilft das Protokoll des Servers weiter.',
  ),
  armed: say('Der Alarm wurde in dem Modus scharf geschaltet, den der Aufruf nennt.'),
  disarmed: call => {
    const cancelled =
      call.pending === 'touched' ? ', und das Auslösen in seiner Fehlalarm-Frist wurde abgebrochen' : '';
    const closed = call.incident === null ? '' : ', und der offene Vorfall wurde beendet';
    return say(`Der Alarm wurde unscharf geschaltet${cancelled}${closed}.`);
  },
  pending: say(
    'Das Auslösen wartet in seiner Fehlalarm-Frist, und noch wurde niemand verständigt.',
    'Wer vor ihrem Ende unscharf schaltet, bricht es ab; sonst beginnt der Vorfall.',
  ),
  opened: ({ incident, by, kind }) => {
    if (incident?.outcome === 'nobody_to_alert') {
      return say(
        'Das Auslösen öffnete einen Vorfall, aber es gab niemanden zu verständigen: Es fehlt ein Alarmplan, oder er nennt niemanden.',
        'Wählen Sie einen Alarmplan, der mindestens eine Person mit einem Kanal nennt.',
      );
    }
    if (incident?.outcome === 'nobody_reached') {
      return say(
        'Das Auslösen öffnete einen Vorfall, aber niemand wurde verständigt: Die Nachrichten scheiterten, für ihre Kanäle ist nichts eingerichtet, oder sie ließen sich nicht planen.',
        'Verständigen Sie diese Personen selbst, sehen Sie im Verlauf des Vorfalls nach, woran es lag, und proben Sie, wenn es behoben ist.',
      );
    }
    if (incident?.outcome === 'exhausted') {
      return say(
        'Das Auslösen öffnete einen Vorfall, und die Personen im Alarmplan wurden verständigt, aber niemand hat geantwortet.',
        'Übernehmen oder beenden Sie den Vorfall, und nehmen Sie Runden oder Personen in den Alarmplan auf.',
      );
    }
    if (incident?.environment === 'test' && by === 'person') {
      return say(
        'Die Probe öffnete einen Vorfall im Test: Er hält fest, wer verständigt worden wäre. Verständigt wurde niemand.',
      );
    }
    if (incident?.environment === 'test') {
      return say(
        `Der ${kind === 'panic_button' ? 'Notrufknopf' : 'Alarm'} ist im Test: Das Auslösen öffnete einen Vorfall, der festhält, wer verständigt worden wäre. Verständigt wurde niemand.`,
        'Soll das nächste Auslösen jemanden verständigen, schalten Sie dort und an seinem Ort den Test aus.',
      );
    }
    return say('Das Auslösen öffnete einen Vorfall, und die Personen im Alarmplan werden der Reihe nach verständigt.');
  },
  cancelled: say(
    'Das Auslösen wurde in seiner Fehlalarm-Frist abgebrochen: Es gab keinen Vorfall, und niemand wurde verständigt.',
  ),
  folded: ({ incident }) =>
    incident === null
      ? say(
          'Das Auslösen kam zu einem dazu, das schon in seiner Fehlalarm-Frist wartete; noch wurde niemand verständigt.',
          'Wer vor ihrem Ende unscharf schaltet, bricht beide ab.',
        )
      : incident.outcome === 'nobody_reached'
        ? say(
            'Das Auslösen kam zu dem Vorfall dazu, der schon offen war: Es wurde gezählt, und bisher wurde niemand verständigt.',
            'Verständigen Sie diese Personen selbst, und sehen Sie im Verlauf des Vorfalls nach, woran es lag.',
          )
        : say(
            'Das Auslösen kam zu dem Vorfall dazu, der schon offen war: Es wurde gezählt, und niemand wurde erneut verständigt.',
            'Soll das nächste Auslösen jemanden verständigen, heben Sie den Alarm auf, oder beenden Sie den Vorfall.',
          ),
  closed: ({ verb }) =>
    verb === 'close'
      ? say('Jemand hat den Vorfall beendet; was noch nicht gesendet war, entfiel.')
      : say('Das Aufheben beendete den offenen Vorfall; was noch nicht gesendet war, entfiel.'),
  nothing_open: say('Es gab keinen offenen Vorfall zum Aufheben; ein Auslösen, das in seiner Frist wartet, bleibt.'),
  held_by_gate: ({ answer }) =>
    say(
      answer === 'refused'
        ? 'Das Auslösen wurde abgelehnt (404): Der Alarm alarmiert nur, wenn scharf, und er war unscharf.'
        : 'Das Auslösen wurde zurückgehalten: Der Alarm alarmiert nur, wenn scharf, und ein gleichzeitiges Unscharfschalten kam zuerst.',
      'Schalten Sie den Alarm zuerst scharf, oder schalten Sie „Nur alarmieren, wenn scharf“ aus.',
    ),
  source_disabled: ({ answer }) =>
    say(
      answer === 'refused'
        ? 'Der Aufruf wurde abgelehnt (404): Der Alarm oder Notrufknopf ist abgeschaltet, oder der Tarif umfasst ihn nicht.'
        : 'Das Auslösen blieb ohne Wirkung: Der Alarm oder Notrufknopf wurde vorher abgeschaltet.',
      'Schalten Sie ihn ein, oder sehen Sie sich den Tarif des Kontos an.',
    ),
  mode_missing: say(
    'Der Aufruf wurde abgelehnt (404): Der Alarm hat den Modus nicht, den der Aufruf nennt oder braucht.',
    'Fügen Sie dem Alarm den Modus hinzu, oder nennen Sie einen, den er hat; ein Auslösen ohne Modus braucht, solange unscharf, den Modus Abwesend (away).',
  ),
  unknown_mode: say(
    'Der Aufruf wurde abgelehnt (404): Das Wort hinter dem Verb ist keiner der vier Modi.',
    'Verwenden Sie home, away, night oder vacation in Kleinbuchstaben, oder lassen Sie den Modus weg.',
  ),
  not_found: say(
    'Der Aufruf wurde abgelehnt (404): Dieser Schlüssel erreicht keinen Alarm oder Notrufknopf mit der Id im Pfad.',
    'Kopieren Sie die Id aus describe, und prüfen Sie, ob im Pfad alarm oder panic steht und für welchen Alarm der Schlüssel ist.',
  ),
  unknown_path: say(
    'Der Aufruf wurde abgelehnt (404): Diesen Pfad gibt es unter /v1 nicht.',
    'Vergleichen Sie den Pfad Buchstabe für Buchstabe mit der Anleitung: Gibt es das Verb, steht ein Wort zu viel da?',
  ),
  wrong_method: say(
    'Der Aufruf wurde abgelehnt (405): Erlaubt ist nur GET, und nichts ist geschehen.',
    'Senden Sie denselben Aufruf als GET.',
  ),
  limited: ({ times }) =>
    say(
      `${times === 1 ? 'Der Aufruf wurde' : `${times} Aufrufe wurden`} abgelehnt (429) und nicht ausgeführt: Dieser Schlüssel oder sein Konto hat zu viele Aufrufe gemacht.`,
      'Suchen Sie das Gerät, das so oft aufruft, oder geben Sie jedem Gerät einen eigenen Schlüssel.',
    ),
  shed: ({ times }) =>
    say(
      `${times === 1 ? 'Der Aufruf wurde' : `${times} Aufrufe wurden`} abgelehnt (503) und nicht ausgeführt: Es kamen mehr auf einmal, als der Server annimmt.`,
      'Prüfen Sie, ob das Gerät ihn wiederholt hat, und sagen Sie es dem Betreiber dieses Tocsin-Servers.',
    ),
  key_unknown: say(
    'Der Aufruf wurde abgelehnt (401): Kein API-Schlüssel hat dieses Geheimnis.',
    'Prüfen Sie den Kopf X-API-Key, oder erstellen Sie einen neuen Schlüssel.',
  ),
  key_revoked: say(
    'Der Aufruf wurde abgelehnt (401): Sein API-Schlüssel ist widerrufen.',
    'Geben Sie dem Gerät einen neuen Schlüssel; kennen Sie es nicht, ist der alte in fremden Händen und zu Recht widerrufen.',
  ),
  key_expired: say(
    'Der Aufruf wurde abgelehnt (401): Sein API-Schlüssel ist abgelaufen, oder das alte Geheimnis eines erneuerten gilt nicht mehr.',
    'Geben Sie dem Gerät das jetzige Geheimnis, oder erstellen Sie einen neuen Schlüssel.',
  ),
  acknowledged: say(
    'Der Vorfall wurde übernommen: Niemand sonst wird verständigt, und er bleibt offen, bis er beendet wird.',
  ),
  already_acknowledged: say('Jemand hatte den Vorfall schon übernommen; nichts hat sich geändert.'),
  already_closed: say('Der Vorfall war schon beendet; nichts hat sich geändert.'),
  failed: say(
    'Der Aufruf wurde angenommen, ließ sich aber zehn Minuten lang nicht ausführen: Er wurde aufgegeben, und der Inhaber wurde verständigt.',
    'Senden Sie ihn noch einmal; scheitert auch das, hilft das Protokoll des Servers weiter.',
  ),
  went_live: call => {
    const closed = call.incident === null ? '' : ', und sein offener Vorfall im Test wurde beendet';
    const cancelled = call.pending === 'touched' ? ', und sein wartendes Auslösen im Test wurde abgebrochen' : '';
    return say(`Der Alarm oder Notrufknopf wurde vom Test live geschaltet${closed}${cancelled}.`);
  },
  disabled: call => {
    const closed = call.incident === null ? '' : ', und sein offener Vorfall wurde beendet';
    const cancelled = call.pending === 'touched' ? ', und sein wartendes Auslösen wurde abgebrochen' : '';
    return say(`Der Alarm oder Notrufknopf wurde abgeschaltet${closed}${cancelled}.`);
  },
};

function say(explanation: string, advice = ''): CallWords {
  return { explanation, advice };
}
