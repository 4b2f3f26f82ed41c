import { Marked, Renderer, type Tokens } from 'marked';
import { escapeHtml } from '../services/process/text.ts';

/** A heading of a page. */
export interface Heading {
  /** 1 for the title. */
  depth: number;
  /** Its anchor, the same as on GitHub. */
  id: string;
  /** Plain text. */
  text: string;
}

/** A page of Markdown as HTML. */
export interface Rendered {
  html: string;
  headings: readonly Heading[];
}

/** What the text itself does not say. */
export interface Rendering {
  /** Returns where a link of the text leads; null to show its words without a link. */
  linkTo(href: string): string | null;
  /** Further anchors, by the heading's own: old links that others keep still work. */
  anchors?: Readonly<Record<string, string>>;
  /** Names the link of a heading to itself; in English if it is absent. */
  anchorLabel?(heading: string): string;
}

/** Renders GitHub's Markdown. HTML in the text is shown as text. */
export function renderMarkdown(text: string, rendering: Rendering): Rendered {
  const renderer = new PageRenderer(rendering);
  const html = new Marked().parse(text, { renderer, async: false });
  return { html, headings: renderer.headings };
}

/** Returns the anchor that GitHub gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Languages in which each line is a separate command. */
const COMMANDS = new Set(['sh', 'console']);

class PageRenderer extends Renderer {
  readonly headings: Heading[] = [];
  readonly #rendering: Rendering;

  constructor(rendering: Rendering) {
    super();
    this.#rendering = rendering;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = this.parser.parseInline(tokens, this.parser.textRenderer);
    const id = this.#free(anchorOf(text));
    this.headings.push({ depth, id, text });
    const words = this.parser.parseInline(tokens);
    if (depth === 1) return `<h1>${words}</h1>\n`;
    const kept = this.#rendering.anchors?.[id];
    const also = kept === undefined ? '' : `<span id="${kept}"></span>`;
    const label = this.#rendering.anchorLabel?.(text) ?? `Link to “${text}”`;
    const anchor = `<a class="anchor" href="#${id}" aria-label="${escapeHtml(label)}">#</a>`;
    return `<h${depth} id="${id}">${also}${words} ${anchor}</h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const words = this.parser.parseInline(tokens);
    const target = this.#rendering.linkTo(href);
    return target === null ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
  }

  /** A picture is shown where it is served, else its words are. */
  override image({ href, text }: Tokens.Image): string {
    const target = this.#rendering.linkTo(href);
    return target === null
      ? escapeHtml(text)
      : `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}" loading="lazy">`;
  }

  /** One click selects what one wants to copy: a command, or all of anything else. */
  override code({ text, lang = '' }: Tokens.Code): string {
    const inside = COMMANDS.has(lang) ? text.split('\n').map(commandLine).join('\n') : escapeHtml(text);
    return `<pre tabindex="0"><code class="${COMMANDS.has(lang) ? 'commands' : 'whole'}">${inside}</code></pre>\n`;
  }

  /**
   * On a narrow screen a row becomes a block; with several columns, the further cells show their column's title. A first title
   * such as "To …" begins what stands below it.
   */
  override table({ header, rows }: Tokens.Table): string {
    const titles = header.map(({ tokens }) => this.parser.parseInline(tokens, this.parser.textRenderer));
    const cell = (tag: string, { tokens }: Tokens.TableCell, more = '') =>
      `<${tag}${more}>${this.parser.parseInline(tokens)}</${tag}>`;
    const [begins] = /^.+(?= …$)/.exec(titles[0] ?? '') ?? [];
    const label = (at: number) => {
      if (at === 0) return begins === undefined ? '' : ` data-begins="${escapeHtml(begins)}"`;
      return titles.length === 2 ? '' : ` data-label="${escapeHtml(titles[at] ?? '')}"`;
    };
    const body = rows.map(row => `<tr>${row.map((one, at) => cell('td', one, label(at))).join('')}</tr>`);
    const head = header.map(one => cell('th', one)).join('');
    return `<table class="stacking">\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>\n`;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escapeHtml(text);
  }

  /** A second heading of the same name gets a number, as on GitHub. */
  #free(id: string): string {
    const taken = new Set(this.headings.map(heading => heading.id));
    for (let number = 1; ; number++) {
      const one = number === 1 ? id : `${id}-${number - 1}`;
      if (!taken.has(one)) return one;
    }
  }
}

/** Dims a comment after a command. */
function commandLine(line: string): string {
  const text = escapeHtml(line).replace(/(^|\s)# .*$/, '<i>$&</i>');
  return `<span>${text}</span>`;
}
