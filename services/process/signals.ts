/**
 * Resolves at the first SIGTERM or SIGINT. One that comes more than a quarter of a second later exits at once, with code 1: whoever
 * insists does not want to wait for a clean stop. (Ctrl-C under `npm start` comes twice: from the terminal and from npm.)
 */
export function stopSignal(): Promise<void> {
  let firstAt: number | null = null;
  return new Promise(resolve => {
    const receive = () => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > SAME_KEY_PRESS_MS) process.exit(1);
      resolve();
    };
    process.on('SIGTERM', receive).on('SIGINT', receive);
  });
}

const SAME_KEY_PRESS_MS = 250;
