/** Tells whether others on the network could read along: plain http, and not within this machine. */
export function isOpenLine(): boolean {
  const { protocol, hostname } = location;
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
