import { Composer, type CST, type Document, type ErrorCode, LineCounter, type ParsedNode, Parser } from 'yaml';
import { inOrder, ofWholeFile, type Place, type Problem } from './problem.ts';
import { type Tree, treeOf } from './tree.ts';

/** The largest file, in bytes of UTF-8. */
export const MOST_BYTES = 10_000_000;

/** How deep lists and maps may lie in each other: the file needs half of it, and whoever reads it recurses. */
const DEEPEST = 20;

/** How many faults of the syntax are told: what comes after is mostly caused by what came before. */
const MOST_SYNTAX = 20;

/** A file as far as YAML is concerned. */
export interface YamlText {
  /** Null where it is no YAML that this file takes. */
  tree: Tree | null;
  problems: Problem[];
  placeOf(at: number): Place;
}

/** Reads YAML 1.2 and nothing beyond what a configuration needs: one document, no tags, no directives, no merge keys. */
export function readYaml(withMark: string): YamlText {
  // Editors of one maker put a mark at the beginning; it is no part of the text.
  const text = withMark.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  const placeOf = (at: number) => {
    const { line, col } = lines.linePos(at);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const problems: Problem[] = [];
  const report = (at: number, problem: string, field = '') =>
    problems.push({ ...placeOf(at), field, problem, didYouMean: '' });
  const refused = () => ({ tree: null, problems: inOrder(problems).slice(0, MOST_SYNTAX), placeOf });

  const strange = /(?![\t\n\r])\p{Cc}|\uFEFF/u.exec(text);
  if (strange !== null) {
    lines.addNewLine(0);
    for (let at = text.indexOf('\n'); at >= 0 && at < strange.index; at = text.indexOf('\n', at + 1)) {
      lines.addNewLine(at + 1);
    }
    const code = strange[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    report(strange.index, `takes text without control characters, got U+${code}.`);
    return refused();
  }

  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  for (const token of tokens) {
    if (token.type === 'directive') report(token.offset, 'takes no directives, got a line that begins with %.');
    const deep = token.type === 'document' ? tooDeepAt(token) : null;
    if (deep !== null) report(deep, `takes lists and maps in each other at most ${DEEPEST} deep, got more.`);
  }
  if (problems.length > 0) return refused();

  const documents = [...new Composer({ uniqueKeys: false, schema: 'core', merge: false }).compose(tokens)];
  for (const fault of documents.flatMap(({ errors }) => errors).slice(0, MOST_SYNTAX)) {
    report(fault.pos[0], SYNTAX[fault.code] ?? 'is no YAML.');
  }
  const [document, second] = documents as Document.Parsed<ParsedNode>[];
  if (second !== undefined) report(startOf(second), 'takes one document, got a second one after ---.');
  if (problems.length > 0) return refused();
  if (!document?.contents) {
    return {
      tree: null,
      problems: [ofWholeFile('takes a configuration that begins with version: 1, got nothing.')],
      placeOf,
    };
  }
  const tree = treeOf(document.contents, report);
  return { tree, problems, placeOf };
}

function startOf(document: Document.Parsed): number {
  return document.contents?.range?.[0] ?? document.range[0];
}

/** Where a document goes too deep; null where it does not. Without recursion: that is what it protects. */
function tooDeepAt(document: CST.Document): number | null {
  const open: { token: CST.Token; depth: number }[] = [];
  if (document.value) open.push({ token: document.value, depth: 1 });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (!('items' in token)) continue;
    if (depth > DEEPEST) return token.offset;
    for (const item of token.items) {
      for (const part of [item.key, item.value]) if (part) open.push({ token: part, depth: depth + 1 });
    }
  }
  return null;
}

/** Our own words: the parser's may repeat what stands there, and that may be a secret. */
const SYNTAX: Partial<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'takes an alias (*name) alone, got an anchor or a tag with it.',
  BAD_ALIAS: 'takes a name after & or *, got none that can be used.',
  BAD_COLLECTION_TYPE: 'takes a list or a map here, got the other one.',
  BAD_DQ_ESCAPE: 'takes an escape such as \\n or \\u00e9 between double quotes, got an unknown one after a backslash.',
  BAD_INDENT: 'takes lines that belong together indented alike, got another indent.',
  BAD_PROP_ORDER: 'takes an anchor after the indicator, got it before.',
  BAD_SCALAR_START: 'takes a text in quotes when it begins with a sign that YAML reserves.',
  BLOCK_AS_IMPLICIT_KEY: 'takes one name and one value on a line, got a second colon: put the text in quotes.',
  BLOCK_IN_FLOW: 'takes braces and brackets inside braces and brackets, got an indented list or map.',
  KEY_OVER_1024_CHARS: 'takes at most 1024 characters before a colon, got more.',
  MISSING_CHAR: 'takes a sign that is missing here: a comma, a colon, a blank, a quote, a brace or a bracket.',
  MULTILINE_IMPLICIT_KEY: 'takes a name and its colon on one line, got several lines.',
  MULTIPLE_ANCHORS: 'takes one anchor, got several.',
  MULTIPLE_DOCS: 'takes one document, got a second one after ---.',
  MULTIPLE_TAGS: 'takes plain values without a tag.',
  RESOURCE_EXHAUSTION: `takes lists and maps in each other at most ${DEEPEST} deep, got more.`,
  TAB_AS_INDENT: 'takes blanks to indent, got a tab.',
  TAG_RESOLVE_FAILED: 'takes plain values without a tag.',
  UNEXPECTED_TOKEN:
    'takes YAML, got something that cannot stand here: is a quote, a brace or a bracket missing before?',
};
