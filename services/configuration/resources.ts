import type { Document, Resource, ResourceKind } from './resource.ts';
import { alarm } from './resources/alarm.ts';
import { apiKey } from './resources/api-key.ts';
import { contact } from './resources/contact.ts';
import { duty } from './resources/duty.ts';
import { location } from './resources/location.ts';
import { panicButton } from './resources/panic-button.ts';
import { policy } from './resources/policy.ts';

/** All resources with the common change path. What is referred to comes before what refers to it. */
export const RESOURCES = {
  location,
  contact,
  duty,
  policy,
  alarm,
  panic_button: panicButton,
  api_key: apiKey,
} as const;

/** Returns a resource by its kind, where the type of its document does not matter. */
export function resourceOf(kind: ResourceKind): Resource<Document> {
  return RESOURCES[kind] as unknown as Resource<Document>;
}
