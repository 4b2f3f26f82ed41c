import type { Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';

/** What somebody does, as a browser gets it from a hand: no script of the page is called. */
export interface Hand {
  /** Presses what says this, in the dialog where one is open. */
  taps(label: string): Promise<void>;
  /** Writes into a field, in place of what is there. */
  writes(selector: string, words: string): Promise<void>;
}

/** With a finger, where things are on the screen. */
export function byTouch(page: Page): Hand {
  /** Marks what is meant and brings it where a finger reaches it; as long as it moves nobody taps. */
  const reach = (find: string, what: string) =>
    eventually(
      () =>
        page.evaluate<boolean>(`(() => {
          const before = document.querySelector('[data-meant]');
          const within = document.querySelector('dialog[open]') ?? document.querySelector('main');
          const one = ${find};
          one?.scrollIntoView({ block: 'center' });
          const place = JSON.stringify(one?.getBoundingClientRect());
          const stands = one !== undefined && one === before && place === before.dataset.meant;
          before?.removeAttribute('data-meant');
          one?.setAttribute('data-meant', place);
          return stands;
        })()`),
      { what },
    );
  /** Notes whether the next tap comes to what is meant: what moves under a finger is tapped once more, as anybody would. */
  const awaitTap = `(() => {
    window.tapped = false;
    const meant = document.querySelector('[data-meant]');
    meant.addEventListener('click', () => (window.tapped = true), { capture: true, once: true });
  })()`;
  const hasArrived = () => page.evaluate<boolean>('window.tapped !== false');
  return {
    async taps(label) {
      const says = `one => !one.disabled && one.innerText.trim() === ${JSON.stringify(label)}`;
      for (;;) {
        await reach(`[...within.querySelectorAll('button, a, summary')].find(${says})`, `a button “${label}”`);
        await page.evaluate(awaitTap);
        await page.tap('[data-meant]');
        if (await eventually(hasArrived, { what: 'the tap', within: 1_000 }).catch(() => false)) return;
      }
    },
    async writes(selector, words) {
      await reach(`within.querySelector(${JSON.stringify(selector)}) ?? undefined`, `a field ${selector}`);
      await page.tap('[data-meant]');
      await page.evaluate('document.activeElement.select()');
      await page.write(words);
    },
  };
}

/** With Tab, Enter, arrows and letters, and nothing else. */
export function byKeyboard(page: Page): Hand & {
  /** Chooses in a list by what it shows. */
  chooses(selector: string, label: string): Promise<void>;
} {
  const isAt = (what: string) => page.evaluate<boolean>(`(at => ${what})(document.activeElement)`);
  const goTo = (what: string) =>
    eventually(
      async () => {
        if (await isAt(what)) return true;
        await page.key('Tab');
        return isAt(what);
      },
      { what: `the keyboard to come to where ${what}`, within: 30_000 },
    );
  return {
    async taps(label) {
      await goTo(`!at.disabled && (at.innerText ?? '').trim() === ${JSON.stringify(label)}`);
      await page.key('Enter');
    },
    async writes(selector, words) {
      await goTo(`at.matches(${JSON.stringify(selector)})`);
      await page.evaluate('document.activeElement.select()');
      await page.write(words);
    },
    async chooses(selector, label) {
      await goTo(`at.matches(${JSON.stringify(selector)})`);
      const isChosen = `at.selectedOptions[0].label === ${JSON.stringify(label)}`;
      await eventually(
        async () => {
          if (await isAt(isChosen)) return true;
          await page.key('ArrowDown');
          return isAt(isChosen);
        },
        { what: `the choice ${label}` },
      );
    },
  };
}

/** Counts what somebody does. */
export function counted({ taps, writes }: Hand): Hand & { done(): number } {
  let interactions = 0;
  return {
    taps(label: string) {
      interactions += 1;
      return taps(label);
    },
    writes(selector: string, words: string) {
      interactions += 1;
      return writes(selector, words);
    },
    done: () => interactions,
  };
}
