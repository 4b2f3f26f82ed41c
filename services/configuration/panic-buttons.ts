import type { ServiceImpl } from '@connectrpc/connect';
import { type PanicButton, PanicButtonService } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { chosenAt } from '../rpc/proto-time.ts';
import type { ConsoleOn } from './console.ts';
import { createCrud, crudMethods } from './crud.ts';
import { orAbsent } from './messages.ts';
import type { Stored } from './resource.ts';
import { type PanicButtonDoc, panicButton as resource } from './resources/panic-button.ts';
import { givenUntil } from './test-switch.ts';

/** Panic buttons as their owner configures them (SPEC.md 2 "Panic button"). */
export function createPanicButtonConsole(deps: ConsoleOn): ServiceImpl<typeof PanicButtonService> {
  return crudMethods(
    PanicButtonService,
    createCrud(deps, { resource, kept: ['test', 'testUntil'], givenBy, viewer: async () => view }),
  );
}

function givenBy({ key, name, locationId, test, disabled, ...button }: PanicButton, now: Date) {
  const { responseKind, responseText, policyId } = button;
  return {
    ...{ key: orAbsent(key), name, locationId, test, testUntil: givenUntil(button, now), disabled },
    ...{ responseKind, responseText, policyId },
  };
}

function view({ id, version, doc, facts }: Stored<PanicButtonDoc>) {
  const { testUntil, ...said } = doc;
  return { id, version, ...said, ...chosenAt('testUntil', testUntil), deactivated: facts.deactivated === true };
}
