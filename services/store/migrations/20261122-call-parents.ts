import { Migration } from '@mikro-orm/migrations';

/** The trace id of the `traceparent` that came with a call, beside the call's own (DECISIONS.md "Who opens what"). */
export class CallParents extends Migration {
  override name = '20261122-call-parents';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  'SET LOCAL statement_timeout = 0',
  'ALTER TABLE logged_call ADD COLUMN parent_trace_id uuid',
  'ALTER TABLE queued_action ADD COLUMN parent_trace_id uuid',
  // Few calls have one.
  'CREATE INDEX logged_call_parent ON logged_call (parent_trace_id, id) WHERE parent_trace_id IS NOT NULL',
];
