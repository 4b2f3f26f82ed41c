import { how, keyMissing, names } from '../../../recipes/words.ts';

/** What stands around the recipes (facade/recipes). */
export const words = {
  title: 'Connect it',
  lead: 'Ready to paste: the ID and the address are the real ones.',
  for: 'For',
  into: 'Goes into:',
  names,
  how,
  keyMissing,
  createKey: 'Create a key for it',
  createKeyAlarm: 'It reaches only this alarm.',
  createKeyAll: 'It reaches everything in this account: a key cannot be limited to a panic button.',
  keyLabel: (name: string) => `For ${name}`,
  keyShown: 'The text contains the key, which is shown only once: copy it before you leave.',
  keyDone: 'I have copied it',
};
