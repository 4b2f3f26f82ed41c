import type { Alert, WayBack } from '../domain/alert.ts';
import { type Answers, answersTo, type CarrierPlace } from '../domain/way-back.ts';
import { reachedFrom } from '../process/public-address.ts';

/** Tells whether what people answer to a message, through a carrier at a place, reaches this deployment. */
export function answersOf(alert: Alert, place: CarrierPlace): Answers {
  const wayBack = wayBackOf(alert);
  return wayBack === null ? 'lost' : answersTo(placeOf(wayBack.carrierUrl), place);
}

/** Returns the place that a URL leads to. */
export function placeOf(url: string): CarrierPlace {
  return { at: reachedFrom(url), host: new URL(url).hostname };
}

/** Returns where replies to a message lead; null if they lead nowhere. */
export function wayBackOf(alert: Alert): WayBack | null {
  return 'wayBack' in alert ? alert.wayBack : null;
}
