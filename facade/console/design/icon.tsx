/** Drawn on 24 by 24, in one stroke width. */
const PATHS = {
  bell: 'M6 17v-6a6 6 0 0 1 12 0v6l2 2H4zM10 21.5h4',
  home: 'M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-5h4v5',
  incidents: 'M12 3.5l9.5 16.5h-19zM12 10v4.5M12 17.3v.2',
  calls: 'M4 7h11M12 4l3 3-3 3M20 17H9M12 14l-3 3 3 3',
  more: 'M4 7h16M4 12h16M4 17h16',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  alert: 'M12 8v5M12 16.5v.2M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18',
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14M16 16l4.5 4.5',
  test: 'M9 3h6M10 3v6L5 19a1.5 1.5 0 0 0 1.3 2h11.4a1.5 1.5 0 0 0 1.3-2L14 9V3M8 15h8',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a word: it says nothing by itself. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
