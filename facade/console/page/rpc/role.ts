/** Most first: each may all that the ones after it may. */
export const ROLES = ['owner', 'editor', 'responder', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** What there is to be allowed, and the least role that is: the services refuse the others (held to services/domain/role.ts by a test). */
export const LEAST = {
  /** See everything. */
  read: 'viewer',
  /** Acknowledge, close, rehearse and drill. */
  act: 'responder',
  /** Change what is configured. */
  configure: 'editor',
  /** Members, keys, tokens and the account itself. */
  manage: 'owner',
} as const satisfies Record<string, Role>;

export type Ability = keyof typeof LEAST;

/** Whether a role is allowed something. */
export function isAllowed(role: string, what: Ability): boolean {
  const place = ROLES.indexOf(role as Role);
  return place >= 0 && place <= ROLES.indexOf(LEAST[what]);
}
