/** What a console token opens: every account, one named in each call, or one account and no other. */
export type TokenKind = 'operator' | 'account';

/** What somebody is who changes something; a console token counts as what it opens. */
export type ActorKind = TokenKind | 'config_file' | 'product';

/** Who changes something. */
export interface Actor {
  kind: ActorKind;
  /** The console token that it is done with; null: none. */
  tokenId: string | null;
  /** For people: in the audit, in timelines and in messages. */
  name: string;
}

const OPERATOR = 'Operator';

/** CONFIG_FILE, which whoever runs the deployment has set. */
export const CONFIG_FILE: Actor = { kind: 'config_file', tokenId: null, name: 'CONFIG_FILE' };

/** The demo of the first start. */
export const DEMO: Actor = { kind: 'product', tokenId: null, name: 'Demo data' };

/** The end of the first days, which comes by itself. */
export const PLAN: Actor = { kind: 'product', tokenId: null, name: 'Plan' };

/** Names that no token of an account is told by. */
const OWN_NAMES = new Set([OPERATOR, CONFIG_FILE.name, DEMO.name, PLAN.name].map(plain));

/**
 * Who acts with a console token. What it is follows from its kind alone (DECISIONS.md "Console tokens"): the label of an
 * account's token only names it, and one that says what it is not is told as a label.
 */
export function tokenActor({ id, kind, label }: { id: string; kind: TokenKind; label: string }): Actor {
  if (kind === 'operator') return { kind, tokenId: id, name: OPERATOR };
  return { kind, tokenId: id, name: OWN_NAMES.has(plain(label)) ? `Token "${label}"` : label };
}

/** As a person reads it: other letter case, wide letters and other blanks make no other name. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Cf}]+/gu, ' ')
    .trim();
}
