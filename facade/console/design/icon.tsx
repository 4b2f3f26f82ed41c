/** Drawn on 24 by 24, in one stroke width. */
const PATHS = {
  bell: 'M6 17v-6a6 6 0 0 1 12 0v6l2 2H4zM10 21.5h4',
  home: 'M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-5h4v5',
  incidents: 'M12 3.5l9.5 16.5h-19zM12 10v4.5M12 17.3v.2',
  calls: 'M4 7h11M12 4l3 3-3 3M20 17H9M12 14l-3 3 3 3',
  alarms: 'M12 4v2M5.6 6.6l1.4 1.4M18.4 6.6L17 8M3 13h2M19 13h2M8 18v-5a4 4 0 0 1 8 0v5M6 18h12v2.5H6z',
  people:
    'M9 5a3.2 3.2 0 1 1 0 6.4A3.2 3.2 0 0 1 9 5M3 19.5a6 6 0 0 1 12 0M16 5.4a3 3 0 0 1 0 5.6M17.5 14a6 6 0 0 1 3.5 5.5',
  policies: 'M5 5.5h3v3H5zM5 15.5h3v3H5zM11 7h9M11 17h9M6.5 8.5v7',
  duties: 'M4 6h16v14H4zM4 10.5h16M8 3.5V7M16 3.5V7M9 15l2.2 2.2L15.5 13',
  keys: 'M8 8a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M11.5 10L20 4M17 6.2l2.5 3',
  notices: 'M4 6h16v12H4zM4 7l8 6.5L20 7',
  settings: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h5M13 12h7M11 10v4',
  operator: 'M4 5h16v5H4zM4 14h16v5H4zM7.5 7.5v.1M7.5 16.5v.1',
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
