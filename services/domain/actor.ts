/** What a console token opens: every account, one named in each call, or one account and no other. */
export type TokenKind = 'operator' | 'account';

/** What somebody is who changes something; a console token counts as what it opens. */
export type ActorKind = TokenKind | 'member' | 'config_file' | 'product';

/** Who changes something. */
export interface Actor {
  kind: ActorKind;
  /** The console token that it is done with; null: none. */
  tokenId: string | null;
  /** The member who does it; absent: it is none. */
  memberId?: string;
  /** For people: in the audit, in timelines and in messages. */
  name: string;
}

const OPERATOR = 'Operator';

/** CONFIG_FILE, which whoever runs the deployment has set. */
export const CONFIG_FILE: Actor = { kind: 'config_file', tokenId: null, name: 'CONFIG_FILE' };

/** The demo of the first start. */
export const DEMO: Actor = { kind: 'product', tokenId: null, name: 'Demo data' };

/** What becomes of an owner's email by itself: the first member of their account. */
export const OWNER_EMAIL: Actor = { kind: 'product', tokenId: null, name: 'Owner email' };

/** The end of the first days, which comes by itself. */
export const PLAN: Actor = { kind: 'product', tokenId: null, name: 'Plan' };

/** Names that no token of an account, and no member, is told by. */
const OWN_NAMES = new Set([OPERATOR, CONFIG_FILE.name, DEMO.name, PLAN.name, OWNER_EMAIL.name].map(plain));

/**
 * Who acts with a console token. What it is follows from its kind alone (DECISIONS.md "Console tokens"): the label of an
 * account's token only names it, and one that says what it is not is told as a label.
 */
export function tokenActor({ id, kind, label }: { id: string; kind: TokenKind; label: string }): Actor {
  if (kind === 'operator') return { kind, tokenId: id, name: OPERATOR };
  return { kind, tokenId: id, name: OWN_NAMES.has(plain(label)) ? `Token "${label}"` : label };
}

/** Who acts as a member of an account: by name, which like a label may not say that they are somebody else. */
export function memberActor({ memberId, name }: { memberId: string; name: string }): Actor {
  const told = OWN_NAMES.has(plain(name)) ? `Member "${name}"` : name;
  return { kind: 'member', tokenId: null, memberId, name: told };
}

/** As a person reads it: other letter case, wide letters and other blanks make no other name. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Cf}]+/gu, ' ')
    .trim();
}
