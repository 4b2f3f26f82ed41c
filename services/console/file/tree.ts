import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { namePart } from './problem.ts';

/** What a file says, with the place of everything in it (offsets into the text). Aliases share what they stand for. */
export type Tree = ScalarTree | MapTree | ListTree;

export interface ScalarTree {
  kind: 'scalar';
  at: number;
  value: unknown;
  /** As it was written, without quotes. */
  source: string;
}

export interface MapTree {
  kind: 'map';
  at: number;
  entries: Map<string, { at: number; value: Tree }>;
}

export interface ListTree {
  kind: 'list';
  at: number;
  items: Tree[];
}

/** Says what is wrong at a place; `field` names it where it has a name of its own. */
export type Report = (at: number, problem: string, field?: string) => void;

/**
 * How many values all aliases of a file may stand for. Bounds what is read twice: nine lists of nine aliases each would
 * be a third of a billion.
 */
const MOST_ALIASED = 500_000;

/** Turns composed YAML into a tree, and reports what this file does not take though YAML has it. */
export function treeOf(contents: Node, report: Report): Tree {
  const anchors = new Map<string, { tree: Tree; size: number } | 'being read'>();
  const known = new WeakMap<Tree, number>();
  let aliased = 0;

  const sized = (tree: Tree, parts: readonly Tree[]): Tree => {
    known.set(
      tree,
      parts.reduce((sum, part) => sum + known.get(part)!, 1),
    );
    return tree;
  };
  const nothing = (at: number): Tree => sized({ kind: 'scalar', at, value: null, source: '' }, []);

  const read = (node: Node | null, at: number): Tree => {
    if (node === null) return nothing(at);
    const place = node.range?.[0] ?? at;
    if (isAlias(node)) return aliasOf(node.source, place);
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) anchors.set(anchor, 'being read');
    if (node.tag !== undefined) report(place, 'takes plain values without a tag.');
    const tree = partsOf(node, place);
    if (anchor !== undefined) anchors.set(anchor, { tree, size: known.get(tree)! });
    return tree;
  };

  const partsOf = (node: Node, at: number): Tree => {
    if (isSeq(node)) {
      const items = node.items.map(item => read(item as Node | null, at));
      return sized({ kind: 'list', at, items }, items);
    }
    if (isMap(node)) {
      const entries = entriesOf(node, at);
      return sized(
        { kind: 'map', at, entries },
        [...entries.values()].map(({ value }) => value),
      );
    }
    if (!isScalar(node)) return nothing(at);
    const source = node.source ?? '';
    return sized({ kind: 'scalar', at, value: node.tag === undefined ? node.value : source, source }, []);
  };

  const entriesOf = (map: YAMLMap, at: number) => {
    const entries: MapTree['entries'] = new Map();
    for (const { key, value } of map.items as Pair<Node | null, Node | null>[]) {
      const keyAt = key?.range?.[0] ?? at;
      const tree = read(value, keyAt);
      if (!isScalar(key) || key.value === null || key.source === undefined) {
        report(keyAt, 'takes a name before the colon, got something else.');
      } else if (key.source === '<<') {
        report(keyAt, 'takes no merge keys (<<), which YAML 1.2 does not have: write the fields out.');
      } else if (entries.has(key.source)) {
        report(keyAt, 'takes each field once, got it a second time.', namePart(key.source));
      } else {
        entries.set(key.source, { at: keyAt, value: tree });
      }
    }
    return entries;
  };

  const aliasOf = (name: string, at: number): Tree => {
    const anchor = anchors.get(name);
    if (anchor === undefined) report(at, 'takes an alias of an anchor that stands before it, got one of none.');
    if (anchor === 'being read') report(at, 'takes no alias of something that it is itself a part of.');
    if (anchor === undefined || anchor === 'being read') return nothing(at);
    aliased += anchor.size;
    if (aliased <= MOST_ALIASED) return anchor.tree;
    if (aliased - anchor.size <= MOST_ALIASED) {
      report(at, `takes aliases that stand for at most ${MOST_ALIASED} values together, got more.`);
    }
    return nothing(at);
  };

  return read(contents, 0);
}
