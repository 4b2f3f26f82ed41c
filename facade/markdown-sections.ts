import { Marked, type Token, type Tokens } from 'marked';
import { type Heading, renderMarkdown } from './markdown.ts';

/** A heading and what stands below it, up to the next one. */
export interface Section {
  heading: Heading;
  /** Plain text: one for each paragraph, point of a list, row of a table and line of code. */
  lines: readonly string[];
}

/** Returns the sections of a text in order, the first one with its title. */
export function sectionsOf(text: string): Section[] {
  const { headings } = renderMarkdown(text, { linkTo: href => href });
  const sections: { heading: Heading; lines: string[] }[] = [];
  for (const token of new Marked().lexer(text)) {
    const heading = headings[sections.length];
    if (token.type === 'heading' && heading !== undefined) sections.push({ heading, lines: [] });
    else sections.at(-1)?.lines.push(...linesOf(token).filter(line => line !== ''));
  }
  return sections;
}

function linesOf(token: Token): string[] {
  switch (token.type) {
    case 'code':
      return (token as Tokens.Code).text.split('\n').map(oneLine);
    case 'table':
      return (token as Tokens.Table).rows.map(row => row.map(cell => inline(cell.tokens)).join(' · '));
    case 'list':
      return (token as Tokens.List).items.flatMap(({ tokens }) => tokens.flatMap(linesOf));
    case 'blockquote':
      return (token as Tokens.Blockquote).tokens.flatMap(linesOf);
    default:
      return [inline([token])];
  }
}

function inline(tokens: readonly Token[]): string {
  return oneLine(tokens.map(plain).join(''));
}

function plain(token: Token): string {
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(plain).join('');
  if (token.type === 'br' || token.type === 'space') return ' ';
  return 'text' in token ? String(token.text) : '';
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
