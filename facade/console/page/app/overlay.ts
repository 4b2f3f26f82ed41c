import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';

/** What lies over every screen, whichever follows: what it tells must not go with the list in which it began. */
export const overlay = signal<ComponentChild>(null);
