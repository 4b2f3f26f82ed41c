import {
  CODE_GOOD_MS,
  CODES_OF_ACCOUNT,
  type GuessVerdict,
  MOST_GUESSES,
  UNVERIFIED_A_DAY,
} from '../../../domain/verification.ts';
import type { OwnerWords } from '../words.ts';
import { channelName } from './things.ts';

const PER = { minute: 'in der Minute', hour: 'in der Stunde', day: 'am Tag' };

/** German. */
export const codes: OwnerWords['codes'] = {
  tooMany({ most, per, retryAfterS }) {
    const minutes = Math.ceil(retryAfterS / 60);
    const wait =
      minutes > 120 ? `${Math.ceil(minutes / 60)} Stunden` : minutes > 2 ? `${minutes} Minuten` : `${retryAfterS} s`;
    return `Zu viele Codes: An eine Adresse gehen höchstens ${most} ${PER[per]}. Den nächsten gibt es in ${wait}.`;
  },
  tooManyOfAccount: retryAfterS =>
    `Zu viele Codes: Ein Konto sendet höchstens ${CODES_OF_ACCOUNT.most} in der Minute. Versuchen Sie es in ${retryAfterS} s noch einmal.`,
  addressLimit({ name, channel, resetsAt }) {
    const { most, ofAccount } = UNVERIFIED_A_DAY;
    const until = `${resetsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return (
      `address_limit: ${channelName(channel)} von ${name} ist nicht bestätigt, und an eine unbestätigte Adresse gehen ${most} Proben und ` +
      `Codes am Tag, ${ofAccount} davon von einem Konto. Weiter geht es ab ${until}. Geben Sie einen Code ein, der ankam, ` +
      'oder bitten Sie den Betreiber, die Adresse einzutragen.'
    );
  },
  notVerified(verdict, { name, channel, left }) {
    const whose = `${channelName(channel)} von ${name}`;
    const sentences: Record<Exclude<GuessVerdict, 'right'>, string> = {
      wrong: `Das ist nicht der Code, der an ${whose} ging. Noch ${left} von ${MOST_GUESSES} Versuchen: Sehen Sie in der neuesten Nachricht nach.`,
      expired: `Der Code an ${whose} ist nach ${CODE_GOOD_MS / 60_000} Minuten abgelaufen: Senden Sie einen neuen.`,
      none_sent: `An ${whose} ging noch kein Code, seit die Adresse gespeichert ist: Senden Sie zuerst einen.`,
      too_many_guesses: `Der Code an ${whose} gilt nach ${MOST_GUESSES} falschen Versuchen nicht mehr: Senden Sie einen neuen.`,
    };
    return `${verdict}: ${sentences[verdict]}`;
  },
};
