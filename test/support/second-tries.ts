import type { Reporter, TestModule } from 'vitest/node';

/**
 * What a machine shared with others does to a test that is sound: a wait that ran out, something that came too late, a connection that the system reset. Such
 * a test gets a second try. What a test saw and should not have seen is none of these, and fails at once.
 */
export const SECOND_TRY = {
  count: 1,
  condition: /^Waited \d+ ms for |^Too late: |^Test timed out in |Timeout \d+ms exceeded|\bECONNRESET\b/,
};

/** Names each test that took a second try at the end of the run: one that does so often is to be mended. */
export const secondTries: Reporter = {
  onTestRunEnd(modules) {
    const took = modules.flatMap(triedTwice);
    if (took.length > 0) process.stdout.write(`\nTook a second try:\n${took.map(line => `  ${line}\n`).join('')}\n`);
  },
};

function triedTwice(module: TestModule): string[] {
  return [...module.children.allTests()]
    .filter(one => (one.diagnostic()?.retryCount ?? 0) > 0)
    .map(one => {
      const why = one.result().errors?.[0]?.message.split('\n')[0] ?? '';
      return `${module.relativeModuleId} > ${one.fullName}: ${why}`;
    });
}
