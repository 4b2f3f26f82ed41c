import type { ServiceImpl } from '@connectrpc/connect';
import { type PanicButton, PanicButtonService } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import type { ConsoleOn } from './console.ts';
import { createCrud, crudMethods } from './crud.ts';
import { orAbsent } from './messages.ts';
import type { Stored } from './resource.ts';
import { type PanicButtonDoc, panicButton as resource } from './resources/panic-button.ts';

/** Panic buttons as their owner configures them (SPEC.md 2 "Panic button"). */
export function createPanicButtonConsole(deps: ConsoleOn): ServiceImpl<typeof PanicButtonService> {
  return crudMethods(
    PanicButtonService,
    createCrud(deps, { resource, kept: ['test'], givenBy, viewer: async () => view }),
  );
}

function givenBy({ key, name, locationId, test, disabled, responseKind, responseText, policyId }: PanicButton) {
  return { key: orAbsent(key), name, locationId, test, disabled, responseKind, responseText, policyId };
}

function view({ id, version, doc, facts }: Stored<PanicButtonDoc>) {
  return { id, version, ...doc, deactivated: facts.deactivated === true };
}
