/** An element of a TwiML document. */
export interface TwimlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** Elements and texts, in order; texts are unescaped. */
  children: readonly (TwimlElement | string)[];
}

/** What a carrier makes of a document. */
export interface Twiml {
  xml: string;
  root: TwimlElement;
  /** What is spoken, one text for each Say, in order. */
  said: readonly string[];
  /** The Gathers, in order. */
  gathers: readonly TwimlElement[];
  /** What is written back, one text for each Message. */
  written: readonly string[];
  /** The verbs below Response, in order. */
  verbs: readonly string[];
}

/** The verbs that this product uses, where each may stand, and its attributes. Anything else is somebody's text that got through. */
const VERBS: Readonly<Record<string, { in: readonly string[]; attributes: readonly string[] }>> = {
  Response: { in: [''], attributes: [] },
  Say: { in: ['Response', 'Gather'], attributes: ['language', 'voice', 'loop'] },
  Pause: { in: ['Response', 'Gather'], attributes: ['length'] },
  Gather: {
    in: ['Response'],
    attributes: ['action', 'method', 'numDigits', 'timeout', 'actionOnEmptyResult', 'input'],
  },
  Hangup: { in: ['Response'], attributes: [] },
  Message: { in: ['Response'], attributes: [] },
};

/**
 * Reads a document as strictly as XML 1.0 asks for, and as Twilio validates it. Throws with what is wrong and where.
 * Comments, CDATA, document types and processing instructions are refused: nothing of the product writes them.
 */
export function parseTwiml(xml: string): Twiml {
  const root = parse(xml);
  const all = flatten(root);
  const texts = (name: string) => all.filter(each => each.name === name).map(textOf);
  return {
    xml,
    root,
    said: texts('Say'),
    gathers: all.filter(each => each.name === 'Gather'),
    written: texts('Message'),
    verbs: root.children.map(child => (typeof child === 'string' ? '#text' : child.name)),
  };
}

const CHARACTER = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;

interface Open {
  name: string;
  attributes: Record<string, string>;
  children: (TwimlElement | string)[];
}

function parse(xml: string): TwimlElement {
  if (!CHARACTER.test(xml)) throw new Error('A character that XML has no place for.');
  const content = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, '');
  const top: Open = { name: '', attributes: {}, children: [] };
  const stack = [top];
  for (const [piece] of content.matchAll(/<[^>]*>|[^<]+|</g)) {
    const parent = stack.at(-1) as Open;
    if (!piece.startsWith('<')) {
      if (parent === top && piece.trim() !== '') throw new Error(`Text outside of the root: ${piece}`);
      if (parent === top) continue;
      if (!['Say', 'Message'].includes(parent.name)) throw new Error(`Text has no place in ${parent.name}: ${piece}`);
      parent.children.push(unescaped(piece));
      continue;
    }
    const closing = /^<\/(\w+)>$/.exec(piece);
    if (closing !== null) {
      if (stack.length === 1 || parent.name !== closing[1]) throw new Error(`${piece} closes nothing that is open.`);
      stack.pop();
      continue;
    }
    const opening = /^<(\w+)((?:\s+\w+="[^"<]*")*)\s*(\/?)>$/.exec(piece);
    if (opening === null) throw new Error(`Not well-formed: ${piece}`);
    const [, name = '', attributes = '', empty] = opening;
    const element: Open = { name, attributes: readAttributes(attributes, name), children: [] };
    if (VERBS[name]?.in.includes(parent.name) !== true)
      throw new Error(`${name} has no place in ${parent.name || 'a document'}.`);
    parent.children.push(element);
    if (empty === '') stack.push(element);
  }
  const [root] = top.children;
  if (stack.length > 1) throw new Error(`${stack.at(-1)?.name} is never closed.`);
  if (top.children.length !== 1 || typeof root !== 'object') throw new Error('There is not exactly one root.');
  return root;
}

function readAttributes(text: string, name: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, key = '', value = ''] of text.matchAll(/(\w+)="([^"]*)"/g)) {
    if (VERBS[name]?.attributes.includes(key) !== true) throw new Error(`${name} takes no ${key}.`);
    if (key in attributes) throw new Error(`${key} of ${name} comes twice.`);
    attributes[key] = unescaped(value);
  }
  return attributes;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&([^;]*;)?/g, (all, reference: string | undefined) => {
    const name = reference?.slice(0, -1) ?? '';
    const number = /^#(\d+)$/.exec(name) ?? /^#(x[0-9a-fA-F]+)$/.exec(name);
    const character =
      NAMED[name] ?? (number === null ? undefined : String.fromCodePoint(Number(number[1]?.replace(/^x/, '0x'))));
    if (character === undefined || !CHARACTER.test(character)) throw new Error(`Not a reference: ${all}`);
    return character;
  });
}

function flatten(element: TwimlElement): TwimlElement[] {
  return [element, ...element.children.flatMap(child => (typeof child === 'string' ? [] : flatten(child)))];
}

function textOf({ children }: TwimlElement): string {
  return children.filter(child => typeof child === 'string').join('');
}
