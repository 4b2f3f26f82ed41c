/* Fetched as one, when the first of them is opened. */
export { KeysScreen } from '../screens/keys.tsx';
export { NoticesScreen } from '../screens/notices.tsx';
export { SettingsScreen } from '../screens/settings.tsx';
