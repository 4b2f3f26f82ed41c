import { Counter, Histogram } from 'prom-client';
import { createTally } from '../../process/tally.ts';
import type { Accept } from './accept.ts';

const acceptTime = new Histogram({
  name: 'tocsin_accept_seconds',
  help: 'From when a call reached the services until it was stored or refused.',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
});

const callsJudged = createTally({
  name: 'tocsin_calls_total',
  help: 'Calls of machines by outcome: accepted, why they were refused, or unavailable.',
  labelNames: ['outcome'],
});

export const callsStoredAgain = new Counter({
  name: 'tocsin_calls_stored_again_total',
  help: 'Confirmed calls that the database had lost, as after a failover to a server that lacked them, and that were stored again.',
});

callsJudged.begin('unavailable');

/** Counts and times what is accepted and refused. */
export function metered(accept: Accept): Accept {
  return async call => {
    const began = performance.now();
    let outcome = 'unavailable';
    try {
      const acceptance = await accept(call);
      outcome = acceptance.verdict;
      return acceptance;
    } finally {
      acceptTime.observe((performance.now() - began) / 1_000);
      callsJudged.count(outcome);
    }
  };
}
