/** Tells the bench that a server is ready, as the product does: one line of JSON. Ends with SIGTERM. */
export function announce(http: string, rpc?: string): void {
  process.stdout.write(`${JSON.stringify({ ready: true, http, rpc })}\n`);
  process.once('SIGTERM', () => process.exit(0));
}
