import { Code, ConnectError } from '@connectrpc/connect';
import type { DescribedCarrier } from '../channels/described.ts';
import { CARRIER_TESTS_MOST } from '../limits/table.ts';
import { shownDate } from '../process/wall-clock.ts';
import { say } from '../rpc/reader.ts';
import type { SettingChange } from '../store/statements/settings.ts';
import { type KnownCarrier, saidIn } from './carrier-view.ts';

/** Why what is stored is left out where the environment alone counts; said in words like what is wrong with a carrier. */
export const REFUSED = 'CONSOLE_CARRIERS=refused';

/** The error where the environment alone sets up carriers. */
export function refusedHere(): ConnectError {
  return new ConnectError(say().refusals.carriersRefused, Code.FailedPrecondition);
}

export function unknownCarrier(name: string, known: readonly DescribedCarrier[]): ConnectError {
  const names = known.map(one => one.name);
  return new ConnectError(say().refusals.noSuchCarrier(name, names), Code.NotFound);
}

export function inEnvironment({ described, environment }: KnownCarrier, language: string): ConnectError {
  const names = Object.keys(environment);
  const message = say().refusals.carrierInEnvironment(saidIn(described.title, language), names);
  return new ConnectError(message, Code.FailedPrecondition);
}

/** `setting`: what names it in the environment. */
export function ordered({ described }: KnownCarrier, setting: string, language: string): ConnectError {
  const message = say().refusals.carrierOrdered(saidIn(described.title, language), setting, described.name);
  return new ConnectError(message, Code.FailedPrecondition);
}

export function notSetUp({ title }: DescribedCarrier, language: string): ConnectError {
  return new ConnectError(say().refusals.carrierNotSetUp(saidIn(title, language)), Code.FailedPrecondition);
}

/** The error for a change of what somebody else changed first. */
export function changedByOther({ by, at, names }: SettingChange): ConnectError {
  return new ConnectError(
    say().refusals.carrierChanged(by, shownDate(new Date(at)).toISOString(), names),
    Code.Aborted,
  );
}

/** The error for more test messages than go out. */
export function tooManyTests(retryAfterS: number): ConnectError {
  const after = { 'retry-after': String(retryAfterS) };
  return new ConnectError(
    say().refusals.tooManyTests(CARRIER_TESTS_MOST.most, retryAfterS),
    Code.ResourceExhausted,
    after,
  );
}
