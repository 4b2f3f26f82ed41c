import { daysAfter, momentIn } from '../parts/days.ts';
import { zones } from '../parts/time.tsx';
import { query } from './router.ts';

/** To what the address narrows a list: a location, an alarm or panic button, a day such as `2026-11-20`, a key, a contact. Empty: to none. */
export interface Narrowing {
  place: string;
  source: string;
  day: string;
  key: string;
  person: string;
}

export function narrowing(): Narrowing {
  const of = (name: string) => query.value.get(name) ?? '';
  const day = of('day');
  return { place: of('place'), source: of('source'), day: isDay(day) ? day : '', key: of('key'), person: of('person') };
}

/** Returns when a day begins and when the next one does, in the zone of the account. */
export function daySpan(day: string): { from: Date; to: Date } {
  const { account } = zones();
  return { from: momentIn(`${day}T00:00`, account), to: momentIn(`${daysAfter(day, 1)}T00:00`, account) };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00Z`));
}
