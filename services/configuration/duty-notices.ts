import { aboutChanges, noticeBytes, toldOfChange } from '../domain/duty-notice.ts';
import { toWall } from '../process/wall-clock.ts';
import { newId } from '../store/id.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { type NoticeWrite, noWrites, writeAll } from '../store/statements/write.ts';
import type { Edit } from './edit.ts';
import type { DutyDoc } from './resources/duty.ts';

const namesStatement: Statement<{ id: string; name: string }> = {
  name: 'names_of_contacts',
  text: 'SELECT id, name FROM contact WHERE account_id = $1 AND id = ANY ($2::text[])',
};

/**
 * Tells those who come on duty by an exception that was added, and those in whose place they are: a cover tells both, a swap
 * too (DECISIONS.md "Told of a duty"). Call it after the rows are written, in their transaction. Returns how many bytes the
 * notices make the database keep. `now`: the deployment's time.
 */
export async function tellOfExceptions(
  db: Connection,
  accountId: string,
  edits: readonly Edit[],
  now: Date,
): Promise<number> {
  const changed = edits.flatMap(({ resource, before, after }) => {
    if (resource.kind !== 'duty' || before === null || after === null || !(after as DutyDoc).tell) return [];
    return [{ before: before.doc as DutyDoc, after: after as DutyDoc }];
  });
  const told = toldOfChange(changed, toWall(now.getTime()));
  if (told.length === 0) return 0;
  const ids = told.flatMap(({ changes }) => changes.flatMap(({ others }) => others));
  const rows = await run(db, namesStatement, [accountId, [...new Set(ids)]]);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const notices = told.map((one): NoticeWrite => {
    const id = newId();
    const about = aboutChanges(one, other => names.get(other) ?? '');
    const { contactId } = one;
    return { accountId, id, kind: 'duty_changed', once: id, incidentId: null, contactId, about, at: now.getTime() };
  });
  await writeAll(db, { ...noWrites(), notices });
  return notices.reduce((sum, { about }) => sum + noticeBytes(about), 0);
}
