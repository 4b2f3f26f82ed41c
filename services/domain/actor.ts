/** What a console token gives access to: any account, named in each call, or exactly one. */
export type TokenKind = 'operator' | 'account';

/** What kind of actor makes a change. A console token counts as what it gives access to. */
export type ActorKind = TokenKind | 'member' | 'contact' | 'config_file' | 'product';

/** Who changes something. */
export interface Actor {
  kind: ActorKind;
  /** The console token used; null if none. */
  tokenId: string | null;
  /** The acting member; absent if the actor is not a member. */
  memberId?: string;
  /** Shown to people in the audit log, in timelines and in messages. */
  name: string;
}

const OPERATOR = 'Operator';

/** The file that the operator sets with CONFIG_FILE. */
export const CONFIG_FILE: Actor = { kind: 'config_file', tokenId: null, name: 'CONFIG_FILE' };

/** The demo data of the first start. */
export const DEMO: Actor = { kind: 'product', tokenId: null, name: 'Demo data' };

/** The end of an account's first 14 days. */
export const PLAN: Actor = { kind: 'product', tokenId: null, name: 'Plan' };

/** The end of a test. */
export const TEST_END: Actor = { kind: 'product', tokenId: null, name: 'Test end' };

/** Names reserved for the actors above: no account token and no member is shown under one of them. */
const OWN_NAMES = new Set([OPERATOR, CONFIG_FILE.name, DEMO.name, PLAN.name, TEST_END.name].map(plain));

/**
 * Returns the actor behind a console token. The kind alone says what it is (DECISIONS.md "Console tokens"): the label
 * of an account's token is only a name, and a label that claims a reserved name is shown as a label.
 */
export function tokenActor({ id, kind, label }: { id: string; kind: TokenKind; label: string }): Actor {
  if (kind === 'operator') return { kind, tokenId: id, name: OPERATOR };
  return { kind, tokenId: id, name: OWN_NAMES.has(plain(label)) ? `Token "${label}"` : label };
}

/** Returns the actor for a member of an account. A name, like a label, may not claim to be somebody else. */
export function memberActor({ memberId, name }: { memberId: string; name: string }): Actor {
  const told = OWN_NAMES.has(plain(name)) ? `Member "${name}"` : name;
  return { kind: 'member', tokenId: null, memberId, name: told };
}

/** Returns the actor for a contact who confirms their own address, or connects it. */
export function contactActor({ name }: { name: string }): Actor {
  return { kind: 'contact', tokenId: null, name: OWN_NAMES.has(plain(name)) ? `Contact "${name}"` : name };
}

/** Normalizes a name to what a person reads: letter case, full-width letters and unusual blanks make no difference. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Cf}]+/gu, ' ')
    .trim();
}
