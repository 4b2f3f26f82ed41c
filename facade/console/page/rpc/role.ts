/** The roles, highest first: each may do all that those after it may. */
export const ROLES = ['owner', 'editor', 'responder', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The lowest role that each ability takes; the services refuse all others (a test compares it with services/domain/role.ts). */
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

/** Tells whether a role has an ability. */
export function isAllowed(role: string, what: Ability): boolean {
  const place = ROLES.indexOf(role as Role);
  return place >= 0 && place <= ROLES.indexOf(LEAST[what]);
}
