import type { Document, Resource, ResourceKind } from './resource.ts';
import { alarm } from './resources/alarm.ts';
import { apiKey } from './resources/api-key.ts';
import { contact } from './resources/contact.ts';
import { location } from './resources/location.ts';
import { panicButton } from './resources/panic-button.ts';
import { policy } from './resources/policy.ts';

/** All resources with one change path. What is named stands before what names it. */
export const RESOURCES = { location, contact, policy, alarm, panic_button: panicButton, api_key: apiKey } as const;

/** A resource by its kind, where it does not matter which. */
export function resourceOf(kind: ResourceKind): Resource<Document> {
  return RESOURCES[kind] as unknown as Resource<Document>;
}
