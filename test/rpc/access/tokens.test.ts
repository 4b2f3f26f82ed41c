import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { startWorld, type World } from '../../support/world.ts';
import { aHouse, tokenOf } from '../incident/incident-rig.ts';

/** An hour after a world begins. */
const IN_AN_HOUR = timestampFromDate(new Date('2026-01-15T21:00:00Z'));

const NOT_VALID = 'The console token is missing or not valid.';

/** An account with the operator's view of it, and another account beside it. */
async function twoAccounts() {
  const world = await startWorld();
  const [owner, outsider] = [await newOwner(world, 'Elms'), await newOwner(world, 'An outsider')];
  return { world, owner, outsider, operator: consoleOf(world, world.operator, owner.accountId) };
}

const readsWith = (world: World, secret: string) => consoleOf(world, secret).locations.listLocations({});

test('a token with an end opens until it, then says so to its bearer and to nobody else', async () => {
  const { world, owner, outsider, operator } = await twoAccounts();
  const { token, secret } = await operator.accounts.createToken({ label: 'Installer', expiresAt: IN_AN_HOUR });
  expect(token).toMatchObject({ kind: 'account', label: 'Installer', status: 'active', expiresAt: IN_AN_HOUR });
  await world.advance(3_599);
  await readsWith(world, secret);
  await world.advance(1);
  expect(await refusal(readsWith(world, secret))).toEqual({
    code: 'Unauthenticated',
    message: 'This console token ended at 2026-01-15T21:00:00.000Z. Ask the operator for a new one.',
    fields: {},
    users: [],
  });
  // Whom it names besides makes no difference.
  for (const accountId of [owner.accountId, outsider.accountId]) {
    const refused = await refusal(consoleOf(world, secret, accountId).locations.listLocations({}));
    expect(refused.message).toContain('ended at 2026-01-15T21:00:00.000Z');
  }
  const almost = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
  expect((await refusal(readsWith(world, almost))).message).toContain(NOT_VALID);
  await readsWith(world, owner.token);
  await readsWith(world, outsider.token);
  const listed = (await owner.console.accounts.listTokens({})).tokens;
  expect(listed.map(({ label, status }) => [label, status])).toEqual([
    ['Owner', 'active'],
    ['Installer', 'expired'],
  ]);
  // What is revoked tells nothing any more, not even that it ended.
  await owner.console.accounts.revokeToken({ tokenId: token!.id });
  expect((await refusal(readsWith(world, secret))).message).toContain(NOT_VALID);
});

test('a label that is none, an end that is past, and one that no calendar has make no token', async () => {
  const { owner, operator } = await twoAccounts();
  const ends = { past: '2026-01-15T20:00:00Z', 'long past': '1999-12-31T00:00:00Z' };
  for (const [what, end] of Object.entries(ends)) {
    const made = operator.accounts.createToken({ label: 'Late', expiresAt: timestampFromDate(new Date(end)) });
    expect((await refusal(made)).fields, what).toEqual({
      expiresAt: expect.stringMatching(/^takes a future time, or nothing for never, got "(2026|1999)-/),
    });
  }
  const never = operator.accounts.createToken({ label: 'Late', expiresAt: { seconds: 10n ** 15n, nanos: 0 } });
  expect(await refusal(never)).toMatchObject({ code: 'InvalidArgument', fields: { expiresAt: expect.anything() } });
  expect((await refusal(operator.accounts.createToken({ label: '' }))).fields).toEqual({
    label: expect.stringContaining('takes 1 to 100 characters'),
  });
  expect((await owner.console.accounts.listTokens({})).tokens).toHaveLength(1);
  const { changes } = await owner.console.audit.listChanges({});
  expect(changes.map(({ name }) => name)).not.toContain('Late');
});

test("making a token takes the operator's: an account's own makes none, not even an outsider's for another account", async () => {
  const { world, owner, outsider, operator } = await twoAccounts();
  const made = owner.console.accounts.createToken({ label: 'One more' });
  expect(await refusal(made)).toMatchObject({
    code: 'PermissionDenied',
    message: "Creating a console token takes the operator's token, got an account's own.",
  });
  const foreign = consoleOf(world, outsider.token, owner.accountId).accounts.createToken({ label: 'One more' });
  expect(await refusal(foreign)).toMatchObject({ code: 'NotFound' });
  expect(await world.rows("SELECT id FROM console_token WHERE label = 'One more'")).toEqual([]);
  const { secret } = await operator.accounts.createToken({ label: 'One more' });
  await readsWith(world, secret);
});

test('a list of tokens ends nowhere: page after page, each once, and none of another account', async () => {
  const { world, owner, outsider } = await twoAccounts();
  await world.rows(
    `INSERT INTO console_token (id, account_id, digest, pepper, label)
     SELECT 'many' || n, $1, sha256(n::text::bytea), 'a pepper', 'Token ' || n FROM generate_series(1, 1100) n`,
    [owner.accountId],
  );
  const ids: string[] = [];
  let pageToken = '';
  do {
    const page = await owner.console.accounts.listTokens({ pageSize: 200, pageToken });
    ids.push(...page.tokens.map(({ id }) => id));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(new Set(ids).size).toBe(1_101);
  expect(ids).toHaveLength(1_101);
  expect((await owner.console.accounts.listTokens({})).tokens).toHaveLength(50);
  expect((await outsider.console.accounts.listTokens({ pageSize: 200 })).tokens.map(({ label }) => label)).toEqual([
    'Owner',
  ]);
  expect(await refusal(owner.console.accounts.listTokens({ pageSize: 201 }))).toMatchObject({
    fields: { pageSize: 'takes 0 to 200, got 201.' },
  });
});

test('a version that knows no kinds writes the right one', async () => {
  const { world } = await twoAccounts();
  const kinds = await world.rows(
    'SELECT DISTINCT kind, account_id IS NULL AS nobodys FROM console_token ORDER BY kind',
  );
  expect(kinds).toEqual([
    { kind: 'account', nobodys: false },
    { kind: 'operator', nobodys: true },
  ]);
});

test('a label never makes a token the operator in the audit (DECISIONS.md "Console tokens")', async () => {
  const { world, owner, operator } = await twoAccounts();
  const { token, secret } = await operator.accounts.createToken({ label: 'Operator' });
  await consoleOf(world, secret).locations.createLocation({ location: { name: 'By the label' } });
  await operator.locations.createLocation({ location: { name: 'By the operator' } });
  const { changes } = await owner.console.audit.listChanges({ pageSize: 2 });
  expect(changes.map(({ name, actor, actorKind, actorTokenId }) => [name, actor, actorKind, actorTokenId])).toEqual([
    ['By the operator', 'Operator', 'operator', 'operator'],
    ['By the label', 'Token "Operator"', 'account', token!.id],
  ]);
});

test('whoever closes an incident with a token labelled as the operator is named by the label', async () => {
  const { world, owner, client, fire } = await aHouse();
  const traceOf = async (secret: string, account?: string) => {
    const headers = { authorization: `Bearer ${secret}`, ...(account ? { 'x-tocsin-account': account } : {}) };
    const { traceId } = await client.close({ incidentId: await fire() }, { headers });
    return (await client.findCall({ traceId }, { headers })).call!.actor;
  };
  expect(await traceOf(await tokenOf(world, owner, 'Operator'))).toBe('Token "Operator"');
  expect(await traceOf(world.operator, owner.accountId)).toBe('Operator');
});
