import type { DrillSituation } from '../types.ts';
import type { OwnerWords } from '../words.ts';
import { channelName } from './things.ts';

/** German. */
export const drills: OwnerWords['drills'] = (outcome, situation) => {
  const { contactName, tried } = situation;
  const channel = channelName(situation.channel);
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return whyLeftOut(situation);
    case 'kept':
      return tried === 'no_carrier'
        ? `Richten Sie einen Dienst für ${channel} ein, oder lassen Sie die Alarmpläne ${contactName} über einen anderen Kanal verständigen.`
        : `Geben Sie ${contactName} eine echte Adresse für ${channel}, und versuchen Sie es dann noch einmal.`;
    case 'put_off':
    case 'asked_to_wait':
    case 'temporary_fault':
      return 'Versuchen Sie es in einer Minute noch einmal. Bei Alarmen geschieht das von selbst.';
    case 'obstacle':
    case 'permanent_fault':
      return outcome.reason === 'plan_required'
        ? `Wechseln Sie in den bezahlten Tarif, oder lassen Sie die Alarmpläne ${contactName} per E-Mail verständigen.`
        : `Prüfen Sie die Adresse von ${contactName} für ${channel}: Ein weiterer Versuch würde wieder abgelehnt.`;
  }
};

function whyLeftOut(on: DrillSituation): string {
  const whose = `${channelName(on.channel)} von ${on.contactName}`;
  if (on.live === 'disabled') {
    return `${whose} ist abgeschaltet (${on.disabledReason}), Alarme lassen es aus: Schalten Sie es wieder ein.`;
  }
  if (on.live !== 'not_verified') return '';
  return `${whose} ist nicht bestätigt, echte Alarme lassen es aus: tocsin contacts verify ${on.contactKey} ${on.channel}.`;
}
