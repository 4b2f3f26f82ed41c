import { createDeviceLinks, type DeviceLinks } from './ring-page.ts';
import type { RingingOn } from './ringing.ts';
import { createVerificationLinks, type VerificationLinks, type VerificationLinksOn } from './verification-link.ts';

/** The links of people that are of no incident: whether an address is theirs, and that a browser rings for them. */
export function createPersonLinks(on: VerificationLinksOn & RingingOn): {
  verificationLinks: VerificationLinks;
  deviceLinks: DeviceLinks;
} {
  return { verificationLinks: createVerificationLinks(on), deviceLinks: createDeviceLinks(on) };
}
