/* What somebody asks for: by a key or the button of the menu, and of an incident beside acknowledging. Fetched with the lists. */
export { Jump } from '../app/jump.tsx';
export { Shortcuts } from '../app/shortcuts.tsx';
export { Disposition } from '../parts/disposition.tsx';
export { HandOver, Note } from '../parts/going-on-dialogs.tsx';
