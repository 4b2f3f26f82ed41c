/*
 * The values of the design, which everything that people look at reads: the console and the pages as CSS (facade/face.ts), and
 * mails written into each element (channels/mail-page.ts). No colour stands anywhere else (test/face.test.ts).
 */

/** A value by daylight, and in the dark. */
export type Pair = readonly [light: string, dark: string];

/** What is read in these colours has a contrast of 7 to 1 and more on each ground that it stands on. */
export const COLOURS = {
  ground: ['#f5f5f2', '#111214'],
  card: ['#ffffff', '#1a1c1f'],
  raised: ['#ffffff', '#24272b'],
  line: ['#e2e2dc', '#2d3035'],
  edge: ['#8a8e94', '#71777f'],
  text: ['#17181a', '#eeefef'],
  soft: ['#4b5057', '#b4b9c0'],
  hover: ['#f0f0ec', '#212428'],
  // One colour for each state, to write in, to write on, and to fill with; a shape goes with it wherever it stands
  // (console/design/components.css).
  live: ['#9b1c15', '#ff9389'],
  'live-ground': ['#fdecea', '#3a1613'],
  'live-solid': ['#9b1c15', '#a3211a'],
  test: ['#5339a0', '#bba6ff'],
  'test-ground': ['#f0ebfd', '#261d42'],
  'test-solid': ['#5339a0', '#5b41a9'],
  good: ['#125a35', '#62d49c'],
  'good-ground': ['#e6f4ec', '#11301f'],
  'good-solid': ['#125a35', '#125a35'],
  warn: ['#6b4500', '#f2b84b'],
  'warn-ground': ['#fdf2da', '#33260a'],
  'on-solid': ['#ffffff', '#ffffff'],
  accent: ['#0a4f96', '#8cc2ff'],
} as const satisfies Record<string, Pair>;

export type Colour = keyof typeof COLOURS;

/** What lies over and under things. */
export const SHADOWS = {
  veil: ['rgb(0 0 0 / 45%)', 'rgb(0 0 0 / 45%)'],
  shadow: ['0 1px 2px rgb(0 0 0 / 4%)', '0 1px 2px rgb(0 0 0 / 30%)'],
  'shadow-high': ['0 16px 48px rgb(0 0 0 / 18%)', '0 16px 48px rgb(0 0 0 / 60%)'],
} as const satisfies Record<string, Pair>;

/** The picture on the icon. Light and dark are the same: it stands on what others paint. */
export const ICON_COLOURS = { ground: '#17181a', line: '#ffffff', mark: '#ff6b60' } as const;

/** Lengths and letters, the same by day and by night. */
export const SIZES = {
  radius: '14px',
  'radius-small': '10px',
  'text-small': '0.875rem',
  'text-body': '1rem',
  'text-lead': '1.125rem',
  'text-title': '1.375rem',
  'text-verdict': 'clamp(1.5rem, 1.2rem + 1.2vw, 1.875rem)',
  target: '44px',
  sans: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  mono: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
} as const;
