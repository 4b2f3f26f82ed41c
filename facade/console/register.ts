import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type DoorOptions, registerDoor } from './door.ts';
import { registerOidc } from './oidc.ts';
import { registerSite } from './site.ts';

/** The web console: its page and files, and the door through which the page calls the services. */
export function registerConsole(app: FastifyInstance, deps: DoorOptions & { log: Logger }): void {
  registerSite(app, deps.log);
  registerDoor(app, deps);
  registerOidc(app, deps);
}
