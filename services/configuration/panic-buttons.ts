import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type PanicButton,
  PanicButtonService,
  type TriggerPanicButtonRequest,
  type TriggerPanicButtonResponseSchema,
} from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { type AccountAccess, withAccess } from '../rpc/auth.ts';
import { chosenAt } from '../rpc/proto-time.ts';
import type { ConsoleOn } from './console.ts';
import { createCrud, crudMethods } from './crud.ts';
import { orAbsent } from './messages.ts';
import type { Stored } from './resource.ts';
import { type PanicButtonDoc, panicButton as resource } from './resources/panic-button.ts';
import { givenUntil } from './test-switch.ts';

/** Triggers a panic button as whoever calls (incident/press.ts). */
export type Press = (
  who: AccountAccess,
  request: TriggerPanicButtonRequest,
  context: { signal: AbortSignal },
) => Promise<MessageInitShape<typeof TriggerPanicButtonResponseSchema>>;

/** Panic buttons as their owner configures them (SPEC.md 2 "Panic button"), and how people press them. */
export function createPanicButtonConsole(deps: ConsoleOn, press: Press): ServiceImpl<typeof PanicButtonService> {
  const asked = withAccess(deps.store, deps.pepper);
  const buttons = createCrud(deps, { resource, kept: ['test', 'testUntil'], givenBy, viewer: async () => view });
  return {
    ...crudMethods(PanicButtonService, buttons),
    triggerPanicButton: asked((request, who, context) => press(who, request, context)),
  };
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
