import { expect, test } from 'vitest';
import { readFile } from '../../services/configuration/file/read.ts';
import { newSecret } from '../../services/store/secret.ts';
import { withChannels, wrongIn } from './file-rig.ts';

const WEBHOOK = withChannels('{ channel: webhook, address: { env: HOOK_URL } }');

test('a reference takes what was handed in, and says where it stands when nothing was', () => {
  const { things, problems } = readFile(WEBHOOK, { 'env:HOOK_URL': 'https://hooks.example.com/s3cret' });
  expect(problems).toEqual([]);
  expect(things[0]).toMatchObject({
    doc: { channels: [{ address: 'https://hooks.example.com/s3cret' }] },
    hidden: { 'channels[0].address': 'env:HOOK_URL' },
  });
  expect(readFile(WEBHOOK, {}).missingSecrets).toEqual(['env:HOOK_URL']);
  expect(wrongIn(WEBHOOK)).toEqual([
    '6:38 contacts[0].channels[0].address takes the secret that env:HOOK_URL names, got nothing.',
  ]);
});

test('a wrong secret is never repeated', () => {
  for (const channel of ['webhook', 'email', 'text', 'push']) {
    const problems = wrongIn(WEBHOOK.replace('webhook', channel), { 'env:HOOK_URL': 'hunter2 and more' });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/, got something else from env:HOOK_URL\.$/);
  }
  const apiKey = 'version: 1\napiKeys: [{ key: camera, label: Camera, secret: { file: /run/key } }]\n';
  expect(wrongIn(apiKey, { 'file:/run/key': 'hunter2' }).join()).toMatch(
    /checksum, got something else from file:\/run\/key\.$/,
  );
  expect(wrongIn(apiKey, { 'file:/run/key': newSecret('toc') })).toEqual([]);
});

test('a secret written into the file is refused without being repeated, wherever it stands', () => {
  const secret = newSecret('toc');
  for (const text of [
    `version: 1\napiKeys: [{ key: camera, label: Camera, secret: ${secret} }]\n`,
    `version: 1\napiKeys: [{ key: camera, label: Camera, secret: [${secret}] }]\n`,
    `version: 1\napiKeys: [{ key: camera, label: Camera, secret: { env: "${secret} " } }]\n`,
    `version: 1\napiKeys: [{ key: ${secret}, label: Camera }]\n`,
    `version: 1\napiKeys: [${secret}]\n`,
    `version: 1\napiKeys: [{ key: camera, label: Camera, ${secret}: 1 }]\n`,
    `version: 1\napiKeys: [{ key: camera, label: Camera, secret: "${secret} }]\n`,
    `version: 1\n${secret}\n`,
  ]) {
    const problems = JSON.stringify(readFile(text, {}).problems);
    expect(problems, text).not.toBe('[]');
    expect(problems, text).not.toContain(secret.slice(4));
  }
});

test.each([
  ['{ enf: A }', 'got "enf". (env)'],
  ['{ env: A, file: b }', 'got 2 fields.'],
  ['{}', 'got 0 fields.'],
  ['{ env: "A B" }', '.env takes the name of an environment variable, got something else.'],
  ['{ file: "" }', '.file takes the path of a file, got something else.'],
  ['{ env: [A] }', '.env takes the name of an environment variable, got something else.'],
])('%s is no reference', (reference, problem) => {
  expect(wrongIn(withChannels(`{ channel: webhook, address: ${reference} }`)).join()).toContain(problem);
});
