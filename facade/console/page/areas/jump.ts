/* Fetched when somebody asks for it by a key or the button of the menu. */
export { Jump } from '../app/jump.tsx';
export { Shortcuts } from '../app/shortcuts.tsx';
