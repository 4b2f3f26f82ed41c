import { type ChannelKind, FAILING_AFTER } from '../../../domain/delivery.ts';
import type { ExplainedDelivery } from '../types.ts';
import type { OwnerWords } from '../words.ts';
import { faults } from './faults.ts';
import { channelName } from './things.ts';

/** What stands in the way here, by its code. Whatever else is stored is a carrier's fault. */
const OBSTACLES: Readonly<Record<string, string>> = {
  plan_required: 'der Tarif umfasst diesen Kanal nicht',
  no_address: 'die Person hat keine Adresse für diesen Kanal',
  spend_ceiling: 'die Tagesobergrenze für SMS und Anrufe war erreicht',
  not_verified: 'die Adresse ist nicht bestätigt',
  disabled: 'die Adresse ist abgeschaltet',
  throttled: 'die Person hatte über diesen Kanal gerade schon viele Nachrichten bekommen',
};

const ENDINGS: Readonly<Record<string, string>> = {
  acknowledged: 'der Vorfall wurde übernommen',
  clear: 'der Vorfall wurde aufgehoben',
  disarm: 'der Alarm wurde unscharf geschaltet',
  auto_close: 'der Vorfall endete von selbst',
  console: 'jemand hat den Vorfall beendet',
  superseded: 'ein echter Vorfall trat an seine Stelle',
  went_live: 'der Alarm oder Notrufknopf wurde live geschaltet',
  source_disabled: 'der Alarm oder Notrufknopf wurde abgeschaltet',
};

/** German. */
export const deliveries: OwnerWords['deliveries'] = on =>
  `${became(on)}${on.insteadOf === null ? '' : ` Ersatz für ${channelName(on.insteadOf)}.`}`;

function became({ channel, status, reason, cancelledBy, attempts = 0, instead = null }: ExplainedDelivery): string {
  const because =
    reason === 'no_carrier'
      ? `für ${channelName(channel)} ist nichts eingerichtet`
      : (OBSTACLES[reason] ?? faults(reason));
  switch (status) {
    case 'scheduled':
      if (reason === 'throttled') return `Verschoben: ${because}.`;
      if (because === '') return 'Geplant.';
      if (attempts < FAILING_AFTER) return `Wird noch einmal versucht: ${because}.`;
      return `Noch nicht angenommen, ${attempts} Mal versucht, weitere Versuche folgen: ${because}.${wentInstead(instead, 'Daneben')}`;
    case 'suppressed':
      return because === ''
        ? 'Im Test nicht gesendet; im Ernst wäre es gesendet worden.'
        : `Im Test nicht gesendet; im Ernst wäre es nicht gegangen: ${because}.`;
    case 'sending':
      return 'Wird gerade gesendet.';
    case 'sent':
      return 'Der Dienst hat es angenommen; ob es ankam, ist nicht bekannt.';
    case 'delivered':
      return 'Der Dienst meldet, dass es ankam.';
    case 'failed':
      return `Gescheitert${attempts > 1 ? ` nach ${attempts} Versuchen` : ''}: ${because || 'der Dienst nennt keinen Grund'}.${wentInstead(instead, 'Stattdessen')}`;
    case 'cancelled':
      if (reason === 'restored') return 'Nicht gesendet: Es war fällig, bevor eine Sicherung eingespielt wurde.';
      if (attempts < FAILING_AFTER) return `Nicht gesendet: ${ENDINGS[cancelledBy] ?? 'der Vorfall war vorbei'}.`;
      return `Überholt: ${attempts} Mal versucht (${because}), dann ${ENDINGS[cancelledBy] ?? 'ging eine spätere Nachricht über diesen Kanal hinaus'}.`;
    case 'no_carrier':
      return `Nicht gesendet: ${because || 'dafür ist nichts eingerichtet'}.`;
  }
}

function wentInstead(channel: ChannelKind | null, how: string): string {
  return channel === null ? '' : ` ${how} ging eine Nachricht über ${channelName(channel)} hinaus.`;
}
