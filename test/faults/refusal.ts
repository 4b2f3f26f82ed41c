import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Product } from './product.ts';

/** The start ends with exit code 1, and all that it says is this one sentence, without the password of the tests. */
export async function expectRefusal(product: Product, sentence: string | RegExp): Promise<void> {
  expect(await product.ended()).toBe(1);
  const { stdout, stderr } = product.printed();
  expect(stdout).toBe('');
  expect(stderr.trimEnd()).not.toContain('\n');
  expect(stderr.trimEnd()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
  expect(stderr).not.toContain('hunter2');
}

/** A port that another program listens on, until it is closed or the test ends. */
export async function takenPort(): Promise<{ port: number; close(): Promise<void> }> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const close = async () => {
    if (!taken.listening) return;
    taken.close();
    await once(taken, 'close');
  };
  onTestFinished(close);
  return { port: (taken.address() as AddressInfo).port, close };
}
