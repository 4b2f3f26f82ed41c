/** A bug that is planted into a copy of the tree: a piece of a file, which stands there once, is replaced. */
export interface Bug {
  name: string;
  file: string;
  was: string;
  is: string;
  /** It is one of a next version: every other process is of that. */
  of?: 'neighbour';
  /** Why the simulation cannot see it, and the test that can. Absent: it must find it. */
  unseen?: string;
}

const JOURNAL = 'services/engine/apply/journal.ts';
const KNOWN = 'services/engine/apply/known-sources.ts';
const DELIVERY = 'services/store/statements/delivery.ts';
const ACCEPT_SQL = 'services/store/schema/journal.ts';

/** What could be wrong with accepting, applying and sending, and would lose, double or misplace something. */
export const BUGS: readonly Bug[] = [
  {
    name: 'cursor moved before the write',
    file: JOURNAL,
    was: '    await parkCalls(client, behind);\n    const policyOf',
    is: '    await parkCalls(client, behind);\n    await moveCursor(engine.pool, found, groups, counts);\n    const policyOf',
  },
  {
    name: 'unknown commit taken for stored',
    file: 'services/engine/accept/accept.ts',
    was: '        engine.onFailed?.(error);\n        throw error;',
    is: '        return new Set<number>();',
  },
  {
    name: 'fold counted twice on takeover',
    file: JOURNAL,
    was: '    const counts = { ...found.folds };',
    is: `    const counts = { ...found.folds };
    for (const [key, fold] of resting.size === 0 && Object.entries(counts).length > 0 && !resting.has(-1) ? Object.entries(counts) : []) {
      counts[key] = [fold[0] + 1, fold[1], fold[2], fold[3]!];
    }
    resting.set(-1, 0);`,
  },
  {
    name: 'lease never runs out',
    file: DELIVERY,
    was: 'lease_until = t.now + make_interval(secs => $8)\n',
    is: "lease_until = t.now + make_interval(secs => $8) + interval '10 years'\n",
  },
  {
    name: 'lease shorter than an attempt',
    file: 'services/domain/delivery.ts',
    was: 'return ATTEMPT_TIMEOUT_S[channel] + 15;',
    is: 'return ATTEMPT_TIMEOUT_S[channel] / 10;',
  },
  {
    name: 'apply lock not heeded',
    file: 'services/engine/apply/worker.ts',
    was: "(begun === 'busy' ? begun : apply(client, how))",
    is: "(begun === 'busy' ? apply(client, how) : apply(client, how))",
  },
  {
    name: 'window may end one moment late',
    file: 'services/domain/decide.ts',
    was: "if (next > upTo) return 'fired';",
    is: "if (next >= upTo) return 'fired';",
  },
  {
    name: 'armed mode not compared at accept',
    file: ACCEPT_SQL,
    was: 'IF last IS NULL OR last <> ANY (known) THEN',
    is: 'IF false THEN',
  },
  {
    name: 'armed mode known across the groups of others',
    file: 'services/engine/accept/judge.ts',
    was: 'if (own?.run === run && number === own.to + 1) own.to = number;',
    is: 'if (own?.run === run && number > own.to) own.to = number;',
  },
  {
    name: 'test environment of a window lost',
    file: 'services/domain/pending.ts',
    was: '    environment: trigger.environment,\n    triggerCount: 1,',
    is: "    environment: 'live',\n    triggerCount: 1,",
  },
  {
    name: 'version not compared at accept',
    file: ACCEPT_SQL,
    was: 'WHERE v.version IS DISTINCT FROM a.version);',
    is: 'WHERE v.version IS NULL);',
  },
  {
    name: 'record without its attempt',
    file: DELIVERY,
    was: " AND d.attempt = r.attempt AND d.status = 'sending'\n",
    is: '\n',
  },
  {
    name: 'fold of another window',
    file: 'services/store/statements/log.ts',
    was: '\n    AND coalesce(r.pending_id, st.pending_id) = st.pending_id',
    is: '',
  },
  {
    name: 'sources not locked',
    file: 'services/store/statements/apply.ts',
    was: ' FOR NO KEY UPDATE SKIP LOCKED) st`',
    is: ') st`',
    unseen:
      'Journal and queue rarely write one source at once, and what both read moves its version (test/rpc/accept/applied-changes.test.ts).',
  },
  {
    name: 'timers past unread groups',
    file: JOURNAL,
    was: "const upTo = left === 'none' && due.length > 0 ? look.now : lastAt;",
    is: 'const upTo = look.now;',
  },
  {
    name: 'armed mode kept after an unknown commit',
    file: 'services/engine/accept/accept.ts',
    was: '        group.forgets(units);\n',
    is: '',
    unseen:
      'Nothing comes of it: storing compares the mode again, and what differs is read again (test/rpc/accept/accept-gate.test.ts).',
  },
  {
    name: 'no wait for the accept under way',
    file: 'services/store/statements/apply.ts',
    was: `, pg_advisory_lock_shared(\${LOCKS.accept})::text, pg_advisory_unlock_shared(\${LOCKS.accept})\``,
    is: '`',
    unseen:
      'It is a race within a statement, into which the simulation rarely looks (test/faults/backlog.test.ts, "a disarm whose commit is under way").',
  },
  {
    name: 'no other way where one fails',
    file: 'services/engine/send/record.ts',
    was: "return status === 'failed' ||",
    is: "return status === 'never' ||",
  },
  {
    name: 'alerts of what is closed',
    file: 'services/store/statements/delivery-over.ts',
    was: "(i.status = 'closed' OR (",
    is: '(false OR (',
  },
  {
    name: 'alerts of what is acknowledged',
    file: 'services/store/statements/delivery-over.ts',
    was: 'OR (i.acknowledged_at IS NOT NULL AND',
    is: 'OR (false AND',
  },
  {
    name: 'no look without a nudge',
    file: 'services/engine/loop.ts',
    was: 'Math.min(again.inMs, pollMs)',
    is: 'Number.isFinite(again.inMs) ? again.inMs : 600_000',
  },
  {
    name: 'refused from memory',
    file: 'services/engine/accept/judge.ts',
    was: "(from === 'memory' ? DIFFERS : { verdict, unit: null })",
    is: "(from === 'memory' ? { verdict, unit: null } : { verdict, unit: null })",
  },
  {
    name: 'live trigger folded into a test',
    file: 'services/domain/incident.ts',
    was: "return incident.environment === 'live' && (incident.silentSince",
    is: 'return (incident.silentSince',
  },
  {
    name: 'disabling leaves the window',
    file: 'services/domain/decide.ts',
    was: 'incidentId: incident?.id ?? null, pendingId: cancelPending(state, decision) };',
    is: 'incidentId: incident?.id ?? null, pendingId: null };',
  },
  {
    name: 'step of the clock believed',
    file: 'services/domain/clock.ts',
    was: 'if (Math.abs(byMs) >= STEP_MS + reading.tookMs)',
    is: 'if (Math.abs(byMs) >= 1e12 + reading.tookMs)',
  },
  {
    name: 'calls overtake those in the queue',
    file: JOURNAL,
    was: "({ queue }) => queue === 'none')",
    is: '({ queue }) => queue !== undefined)',
  },
  {
    name: 'known sources not compared',
    file: KNOWN,
    was: 'return row.version === version && ',
    is: 'return version !== row.id && ',
  },
  {
    name: 'known sources kept across turns of others',
    file: KNOWN,
    was: 'if (written?.id !== look.id || written.run !== look.run) rows.clear();',
    is: 'if (written === null && look.id < 0) rows.clear();',
  },
  {
    name: 'queue writes what the journal remembers',
    file: 'services/engine/apply/queue.ts',
    was: `    await touchSources(
      client,
      works.map(({ row }) => row.seq),
    );
`,
    is: '    await touchSources(client, []);\n',
    unseen:
      'Two processes take turns of the journal, and each forgets all where the other had one (test/rpc/accept/applied-changes.test.ts).',
  },
  {
    name: 'journal remembers what it wrote as it was',
    file: KNOWN,
    was: '      for (const { row } of works) rows.delete(row.seq);\n',
    is: '      for (const { row } of works) rows.set(row.seq, row);\n',
  },
  {
    name: 'calls behind the queue lost',
    file: JOURNAL,
    was: '    await parkCalls(client, behind);\n    const policyOf',
    is: '    const policyOf',
  },
  {
    name: 'queue overtakes the journal',
    file: 'services/store/statements/queue.ts',
    was: `\${PLACES} * coalesce((SELECT min(id) FROM waiting_group), 1e15::bigint) AS begins`,
    is: '1e18::bigint AS begins',
  },
  {
    name: 'heavy windows never end',
    file: JOURNAL,
    was: '    if (applied.heavy.length > 0) engine.onHeavy(applied.heavy);\n',
    is: '',
  },
  {
    name: 'next version keeps its folds otherwise',
    of: 'neighbour',
    file: 'test/support/neighbour.ts',
    was: 'const CHANGES: readonly Replacement[] = [\n',
    is: `const CHANGES: readonly Replacement[] = [
  {
    file: 'services/store/statements/log.ts',
    was: 'appliedTo, JSON.stringify(folds)]',
    is: "appliedTo, JSON.stringify(Object.fromEntries(Object.entries(folds).map(([key, fold]) => ['_' + key, fold])))]",
  },
  {
    file: 'services/store/statements/apply.ts',
    was: 'AS "appliedTo", folds,',
    is: "AS \\"appliedTo\\", (SELECT coalesce(json_object_agg(ltrim(key, '_'), value), '{}') FROM json_each(folds)) AS folds,",
  },
`,
  },
];
