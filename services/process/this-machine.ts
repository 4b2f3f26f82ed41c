/** Tells whether a URL leads only to the machine on which it is opened, as `http://localhost:3000` does. */
export function isThisMachine(url: string): boolean {
  return /^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/.test(new URL(url).hostname);
}
