import {
  type Alias,
  Composer,
  CST,
  Document,
  type ErrorCode,
  isAlias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  visit,
  YAMLParseError,
} from 'yaml';
import { say } from '../../rpc/reader.ts';
import {
  type FilePlace,
  MOST_PROBLEMS,
  namePart,
  ofWholeFile,
  type Problem,
  problemAt,
  withoutSecrets,
} from './problem.ts';

/** How deep lists and maps may be nested: the file needs half of it. */
const DEEPEST = 20;

/**
 * How many tokens the parser may have open: far more than DEEPEST takes, so that a wrong sign above is told first, and far fewer than it
 * has calls for. It closes each by a call within the one before, and there is no catching what ends a process near its last call.
 */
const OPEN_MOST = 100;

/** How many syntax errors are reported: later ones are mostly caused by earlier ones. */
const MOST_SYNTAX = 20;

/**
 * How many values all aliases of a file may stand for: nine lists of nine aliases each would be a third of a billion.
 */
const MOST_ALIASED = 500_000;

/** Control characters (some are the parser's own marks), a BOM inside the text, directives. */
const REFUSED = /(?![\t\n\r])\p{Cc}|\uFEFF|(?<![^\n])%/u;

/** A file as far as YAML is concerned. */
export interface YamlText {
  /** Null if it cannot be read any further. A remaining alias stands for nothing, which was reported. */
  contents: Node | null;
  problems: Problem[];
  placeOf(at: number): FilePlace;
}

/** Reads YAML 1.2 and nothing beyond what a configuration needs: one document, no tags, no directives. */
export function readYaml(withMark: string): YamlText {
  // Strip a UTF-8 BOM.
  const text = withMark.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  // Not counted by the parser: it loses lines in what it cannot read, and some problems are found before it begins.
  for (const { index } of text.matchAll(/(?<![^\n])/g)) lines.addNewLine(index);
  const placeOf = (at: number) => {
    const { line, col } = lines.linePos(Math.max(at, 0));
    return { line, column: col };
  };
  const problemOf = (at: number, problem: string) => problemAt(placeOf(at), '', problem);
  const refused = (...problems: Problem[]) => ({ contents: null, problems, placeOf });

  const strange = REFUSED.exec(text);
  if (strange !== null) return refused(problemOf(strange.index, refusalOf(strange[0])));
  const { contents, errors, tooDeepAt } = parse(text);
  if (tooDeepAt !== null) return refused(problemOf(tooDeepAt, say().file.tooDeep(DEEPEST)));
  const { deepAt, problems } = takeAliases(contents, problemOf);
  // A wrong colon also nests things deeper, and an unclosed bracket is only noticed at the end of the file.
  if (deepAt !== null && errors.every(({ pos }) => pos[0] >= deepAt)) {
    return refused(problemOf(deepAt, say().file.tooDeep(DEEPEST)));
  }
  if (errors.length > 0) {
    const first = errors.slice(0, MOST_SYNTAX);
    return refused(...first.map(({ pos, code, message }) => problemOf(pos[0], sentenceOf(code, message))));
  }
  if (contents === null) return refused(ofWholeFile(say().file.empty));
  return { contents, problems, placeOf };
}

/**
 * Parses without stack traces: of thousands of errors they take most of the time, and nobody reads them. Stops where brackets are
 * nested too deep (`tooDeepAt`, else null), as a file of nothing but brackets would take seconds and gigabytes, and where so much is
 * nested without them that the parser would call itself too often.
 */
function parse(text: string) {
  const parser = new Parser();
  // All brackets are in the map that the file is.
  let depth = 1;
  let tooDeepAt: number | null = null;
  function* tokens() {
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      if (lexeme === '[' || lexeme === '{') depth++;
      else if (lexeme === ']' || lexeme === '}') depth = Math.max(depth - 1, 1);
      else if (lexeme === CST.FLOW_END) depth = 1;
      if (depth > DEEPEST || parser.stack.length > OPEN_MOST) {
        tooDeepAt = parser.offset - 1;
        return;
      }
    }
    yield* parser.end();
  }
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    // `uniqueKeys` compares each key of a map with all others; values.ts finds repeated ones.
    const [document, second] = new Composer({ uniqueKeys: false }).compose(tokens(), true, text.length);
    const { contents, errors } = document!;
    if (second) errors.push(new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''));
    return { contents, errors, tooDeepAt };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function refusalOf(character: string): string {
  if (character === '%') return say().file.noDirectives;
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return say().file.controlCharacter(`U+${code}`);
}

/** Returns the parser's sentence without what it quotes from the file after a colon, which may be a secret. */
function sentenceOf(code: ErrorCode, message: string): string {
  return say().file.syntax(code, `${withoutSecrets(message.replace(/(?<=\w): .*/s, ''))}.`);
}

/**
 * Replaces each alias by what it stands for, refuses tags, and stops where nesting is too deep. Our own code, because
 * the library looks through all anchors and aliases for each alias, half a million of which would take hours, and
 * what it limits it counts otherwise and throws without a place.
 */
function takeAliases(
  contents: Node | null,
  problemOf: (at: number, problem: string) => Problem,
): { deepAt: number | null; problems: Problem[] } {
  const { file } = say();
  const problems: Problem[] = [];
  const anchors = new Map<string, Node>();
  const sizeOf = createMeasure();
  let deepAt: number | null = null;
  let aliased = 0;

  /** Returns what an alias stands for; a sentence if it cannot be resolved, undefined if that was reported already. */
  const meantBy = (alias: Alias, path: readonly unknown[]): Node | string | undefined => {
    const name = namePart(alias.source);
    const node = anchors.get(alias.source);
    if (node === undefined) return file.unknownAlias(name);
    if (path.includes(node)) return file.ownAlias(name);
    if (aliased > MOST_ALIASED) return undefined;
    aliased += sizeOf(node);
    if (aliased <= MOST_ALIASED) return node;
    return file.tooManyAliased(MOST_ALIASED);
  };

  visit(contents, (key, node, path) => {
    if (problems.length > MOST_PROBLEMS) return visit.BREAK;
    if (!isNode(node)) return undefined;
    const at = node.range![0];
    if (isAlias(node)) {
      const meant = meantBy(node, path);
      if (typeof meant === 'string') problems.push(problemOf(at, meant));
      else if (meant !== undefined) replace(key, path.at(-1), meant);
      return visit.SKIP;
    }
    if (isCollection(node) && path.filter(isCollection).length >= DEEPEST) {
      deepAt = at;
      return visit.BREAK;
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (node.tag !== undefined) problems.push(problemOf(at, file.noTag));
    return undefined;
  });
  return { deepAt, problems };
}

function replace(key: unknown, parent: unknown, node: Node): void {
  if (isSeq(parent)) parent.items[key as number] = node;
  else if (isPair(parent) && key === 'value') parent.value = node;
}

/** Counts the values in a node; each list and map once, however many aliases lead to it. */
function createMeasure(): (node: unknown) => number {
  const sizes = new Map<unknown, number>();
  return function sizeOf(node): number {
    if (isPair(node)) return sizeOf(node.value);
    if (!isCollection(node)) return 1;
    const known = sizes.get(node);
    if (known !== undefined) return known;
    const size = node.items.reduce<number>((sum, item) => sum + sizeOf(item as Pair | Node), 1);
    sizes.set(node, size);
    return size;
  };
}

/** A text that needs no quotes anywhere; the library takes care of words such as `true`. */
const PLAIN = /^[A-Za-z](?:[A-Za-z0-9_./@+-]| (?=[A-Za-z0-9]))*$/;

/** Characters allowed in quotes that `readYaml` or a terminal does not accept literally. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/**
 * Writes a value as YAML: the same value always gives the same text. In lists, an entry without nesting is one line.
 */
export function writeYaml(value: unknown): string {
  // Quote words such as `no`: YAML 1.1, which other programs read, does not treat them as text.
  const document = new Document(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
  visit(document, {
    Collection: (key, node) => {
      const inList = typeof key === 'number';
      node.flow = (inList || isSeq(node)) && node.items.every(item => isFlat(isPair(item) ? item.value : item));
    },
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && !PLAIN.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity });
  return text.replaceAll(ESCAPED, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Tells whether a value fits on the line of the map or list that it is in. */
function isFlat(value: unknown): boolean {
  return isSeq(value) ? value.items.every(isScalar) : isScalar(value);
}
