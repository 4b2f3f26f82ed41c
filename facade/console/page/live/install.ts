import { signal } from '@preact/signals';

/** What asks whether to put the page on the home screen, as a browser offers it; null: it offers nothing. */
export const installing = signal<(Event & { prompt(): Promise<unknown> }) | null>(null);

/** Keeps what the browser offers until somebody presses: it comes once, and early. */
export function keepInstalling(): void {
  addEventListener('beforeinstallprompt', event => {
    event.preventDefault();
    installing.value = event as Event & { prompt(): Promise<unknown> };
  });
}
