import type { Command } from 'commander';
import { type ConfigurationChange, ConfigurationChangeSchema } from '../../../gen/tocsin/console/v1/audit_pb.ts';
import { examples } from '../flags.ts';
import { collect, type PageOptions, pageFlags } from '../pages.ts';
import type { Act } from '../session.ts';
import { stamp } from '../timeline.ts';

/** `tocsin audit`: who changed what. */
export function addAudit(program: Command, act: Act): void {
  const audit = program.command('audit');
  const list = pageFlags(audit.command('list').description('lists changes, newest first; --json has before and after'));
  list.option('--thing <id>', 'only changes of the thing with this id');
  examples(list, 'audit list --limit 20').action(
    act(async (session, { thing = '', ...pages }: PageOptions & { thing?: string }) => {
      const page = await collect(pages, async (pageSize, pageToken) => {
        const answer = await session.rpc.audit.listChanges({ thingId: thing, pageSize, pageToken });
        return { items: answer.changes, nextPageToken: answer.nextPageToken };
      });
      session.list(ConfigurationChangeSchema, page, COLUMNS, 'Nothing was changed yet.');
    }),
  );
}

const COLUMNS = [
  ['at', ({ at }: ConfigurationChange) => stamp(at)],
  ['who', ({ actor }: ConfigurationChange) => actor],
  ['as', ({ actorKind }: ConfigurationChange) => actorKind.replace('_', ' ')],
  ['did', ({ action }: ConfigurationChange) => action],
  ['what', ({ kind }: ConfigurationChange) => kind.replace('_', ' ')],
  ['name', ({ name }: ConfigurationChange) => name],
  ['fields', fields],
  ['id', ({ thingId }: ConfigurationChange) => thingId],
] as const;

/** Returns the names of the fields that differ, because values may be long. */
function fields({ action, before = {}, after = {} }: ConfigurationChange): string {
  if (action !== 'update') return '';
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differs = (name: string) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return [...names].filter(name => name !== 'version' && differs(name)).join(', ');
}
