import type { Page } from './chromium.ts';

/** How a page is seen: what a person with a telephone in their hand can read and touch. Lengths in CSS pixels. */
export interface Seen {
  /** How much wider than the screen it is. */
  sideways: number;
  /** The least of all texts: their size, and their contrast (WCAG 2 "contrast ratio") against what is behind them. */
  smallestText: number;
  leastContrast: number;
  titleSize: number;
  buttons: { label: string; width: number; height: number; place: 'seen at once' | 'below' }[];
  /** The lines that are wholly seen without scrolling and with nothing in front of them. */
  seenAtOnce: string[];
}

/** Measures a page as it is laid out now. */
export function measure(page: Page): Promise<Seen> {
  return page.evaluate<Seen>(`(${inThePage})()`);
}

/** Runs in the page: plain JavaScript, because its text is what is sent there. */
const inThePage = `() => {
  const luminance = ([r, g, b]) => [r, g, b]
    .map(part => part / 255)
    .map(part => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const colour = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const behind = element => {
    for (let at = element; at !== null; at = at.parentElement) {
      const [r, g, b, alpha = 1] = colour(getComputedStyle(at).backgroundColor);
      if (alpha > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const contrast = element => {
    const [one, other] = [colour(getComputedStyle(element).color), behind(element)].map(luminance);
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  const isSeen = element => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight || left < 0 || right > innerWidth) return false;
    return [top + 2, bottom - 2].every(y => {
      const hit = document.elementFromPoint(left + 10, y);
      return hit !== null && (element.contains(hit) || hit.contains(element));
    });
  };
  const texts = [...document.querySelectorAll('body *')].filter(element => {
    const own = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    return own && element.getClientRects().length > 0;
  });
  const size = element => Number.parseFloat(getComputedStyle(element).fontSize);
  return {
    // Not innerWidth: on a telephone that grows along with what is too wide.
    sideways: document.documentElement.scrollWidth - screen.width,
    smallestText: Math.min(...texts.map(size)),
    leastContrast: Math.min(...texts.map(contrast)),
    titleSize: size(document.querySelector('h1')),
    buttons: [...document.querySelectorAll('.actions button, .actions summary')].filter(one => one.checkVisibility()).map(button => {
      const { width, height } = button.getBoundingClientRect();
      return { label: button.innerText, width, height, place: isSeen(button) ? 'seen at once' : 'below' };
    }),
    seenAtOnce: texts.filter(isSeen).map(element => element.innerText.replace(/\\s/g, ' ')),
  };
}`;
