import { inTransaction } from '../../services/store/statement.ts';
import { enqueueOwnActions, type OwnAction } from '../../services/store/statements/queue.ts';
import { count, houseOf, type Life, newTrace, type Running, say, upAndStarted } from './life.ts';
import { type Acted, type ActVerb, shortTrace } from './lived.ts';
import { within } from './virtual.ts';

/*
 * What people and owners do: each a transaction of a process, as the console makes them. Owners switch to test and back,
 * disable and enable, and revoke a key; people acknowledge and close incidents.
 */

/** One act of a person: acknowledges or closes an incident, of chance which; closed ones too. */
export async function act(life: Life): Promise<void> {
  const incidents = await life.world.ask<{ id: string; accountId: string; sourceId: string }>(
    'SELECT id, account_id AS "accountId", source_id AS "sourceId" FROM incident ORDER BY status DESC, seq DESC LIMIT 3',
  );
  const able = upAndStarted(life);
  if (incidents.length === 0 || able.length === 0) return;
  const { id: incidentId, accountId, sourceId } = life.dice.pick(incidents);
  const house = life.world.houses.findIndex(one => one.accountId === accountId);
  const source = houseOf(life, house).ids.alarm === sourceId ? 'alarm' : 'button';
  const verb = life.dice.pick(['acknowledge', 'close'] as const);
  const acted = noted(life, { house, source, verb, incident: incidentId });
  const own = { accountId, sourceId, verb, traceId: acted.trace, incidentId, actor: 'Anna' };
  transact(life, life.dice.pick(able), { sql: [], own, acted }, () => {});
}

/** One change by an owner. Does nothing while another is under way there. */
export function change(life: Life): void {
  const able = upAndStarted(life);
  const { dice } = life;
  const house = dice.between(0, 1);
  const standing = life.standing[house]!;
  if (able.length === 0 || standing.changing === 'something') return;
  const roll = dice.roll();
  const at = dice.pick(able);
  if (standing.alarm === 'disabled') enable(life, at, house, 'enabled');
  else if (roll < 0.55) switchTo(life, at, house, dice.pick(['live', 'live', 'test']));
  else if (roll < 0.7 && standing.spareKey === 'good') revoke(life, at, house);
  else if (life.plan.people === 'some') enable(life, at, house, 'disabled');
}

/** Switches both sources; the console ends what was open in test in the same transaction. */
function switchTo(life: Life, at: Able, house: number, to: 'live' | 'test'): void {
  const { accountId, ids } = houseOf(life, house);
  const standing = life.standing[house]!;
  const goesLive = to === 'live' && standing.environment === 'test' && life.plan.people === 'some';
  const acted = goesLive ? noted(life, { house, source: 'alarm', verb: 'go_live', incident: null }) : null;
  const own: OwnAction | null =
    acted === null
      ? null
      : { accountId, sourceId: ids.alarm, verb: 'go_live', traceId: acted.trace, incidentId: null, actor: 'Owner' };
  for (const call of life.calling.keys()) if (call.house === house) call.environments.push(to);
  const sql: Sql[] = [['UPDATE source SET test = $2 WHERE account_id = $1', [accountId, to === 'test']]];
  say(life, `${at.process.name} is to switch ${house} to ${to}`);
  transact(life, at, { sql, own, acted, house }, async () => {
    const [row] = await life.world.ask<{ test: boolean }>('SELECT test FROM source WHERE id = $1', [ids.alarm]);
    standing.environment = row!.test ? 'test' : 'live';
  });
}

/** Disables the alarm, which closes what is open there, or enables it again. */
function enable(life: Life, at: Able, house: number, to: 'enabled' | 'disabled'): void {
  const { accountId, ids } = houseOf(life, house);
  const standing = life.standing[house]!;
  const acted = to === 'disabled' ? noted(life, { house, source: 'alarm', verb: 'disable', incident: null }) : null;
  const own: OwnAction | null =
    acted === null
      ? null
      : { accountId, sourceId: ids.alarm, verb: 'disable', traceId: acted.trace, incidentId: null, actor: 'Owner' };
  for (const call of life.calling.keys())
    if (call.house === house && call.source === 'alarm') call.disabled = 'sometimes';
  const sql: Sql[] = [['UPDATE source SET disabled = $2 WHERE id = $1', [ids.alarm, to === 'disabled']]];
  say(life, `${at.process.name} is to make the alarm of ${house} ${to}`);
  transact(life, at, { sql, own, acted, house }, async () => {
    const [row] = await life.world.ask<{ disabled: boolean }>('SELECT disabled FROM source WHERE id = $1', [ids.alarm]);
    standing.alarm = row!.disabled ? 'disabled' : 'enabled';
  });
}

function revoke(life: Life, at: Able, house: number): void {
  const { spare } = houseOf(life, house);
  const standing = life.standing[house]!;
  const sql: Sql[] = [['UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $1', [spare.id]]];
  say(life, `${at.process.name} is to revoke a key of ${house}`);
  transact(life, at, { sql, own: null, acted: null, house }, async () => {
    const [row] = await life.world.ask<{ at: Date | null }>('SELECT revoked_at AS at FROM api_key WHERE id = $1', [
      spare.id,
    ]);
    standing.spareKey = row!.at === null ? 'good' : 'revoked';
  });
}

type Able = Running & Required<Pick<Running, 'product'>>;
type Sql = [text: string, values: unknown[]];

function noted(
  life: Life,
  about: { house: number; source: Acted['source']; verb: ActVerb; incident: string | null },
): Acted {
  const acted: Acted = { ...about, trace: newTrace(life), stored: 'unknown' };
  life.lived.acts.push(acted);
  return acted;
}

/** Runs it in one transaction of a process; `after`, with its end known or not, looks what has become of it. */
function transact(
  life: Life,
  { process: at, product }: Able,
  { sql, own, acted, house }: { sql: readonly Sql[]; own: OwnAction | null; acted: Acted | null; house?: number },
  after: () => Promise<void> | void,
): void {
  if (house !== undefined) life.standing[house]!.changing = 'something';
  if (acted !== null) say(life, `${at.name} is to ${acted.verb} at ${acted.house}: ${shortTrace(acted.trace)}`);
  const change = {
    over: async () => {
      await after();
      if (house !== undefined) life.standing[house]!.changing = 'nothing';
    },
  };
  life.changes.set(change, at);
  const end = (how: 'stored' | 'unknown') => {
    count(life, acted === null ? `changed: ${how}` : `${acted.verb}: ${how}`);
    if (acted !== null) acted.stored = how === 'stored' ? 'yes' : 'unknown';
    life.ended.push(change);
  };
  within(at, () => {
    inTransaction(product.reading, async client => {
      for (const [text, values] of sql) await client.query(text, values);
      if (own !== null) await enqueueOwnActions(client, [own]);
    }).then(
      () => {
        end('stored');
        product.engine.nudge();
      },
      () => end('unknown'),
    );
  });
}
