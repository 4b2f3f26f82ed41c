import { type Connection, run, type Statement } from '../statement.ts';

/**
 * Takes the place of the one who listens for $3 seconds, or keeps it: whoever holds it no longer says so in time has lost it. A time that is further
 * away than anybody asks for, by more than a statement may have waited, counts for nothing. What kept the one before from hearing is forgotten.
 */
const holdStatement: Statement<{ carrier: string }> = {
  name: 'hold_listening',
  text: `
INSERT INTO listening AS l (carrier, holder, until) VALUES ($1, $2, tocsin_now() + make_interval(secs => $3))
ON CONFLICT (carrier) DO UPDATE SET holder = EXCLUDED.holder, until = EXCLUDED.until,
  problem = CASE WHEN l.holder = EXCLUDED.holder THEN l.problem ELSE '' END
WHERE l.holder = EXCLUDED.holder OR l.until <= tocsin_now() OR l.until > EXCLUDED.until + interval '1 s'
RETURNING carrier`,
};

const noteStatement: Statement<never> = {
  name: 'note_listening',
  text: 'UPDATE listening SET problem = $3 WHERE carrier = $1 AND holder = $2 AND problem <> $3',
};

const leaveStatement: Statement<never> = {
  name: 'leave_listening',
  text: "UPDATE listening SET until = '-infinity' WHERE carrier = $1 AND holder = $2",
};

const problemsStatement: Statement<{ carrier: string; problem: string }> = {
  name: 'listening_problems',
  text: "SELECT carrier, problem FROM listening WHERE problem <> ''",
};

/** Tells whether this process is the one that listens to the bot of a carrier. */
export async function holdListening(db: Connection, carrier: string, holder: string, forS: number): Promise<boolean> {
  return (await run(db, holdStatement, [carrier, holder, forS])).length > 0;
}

/** Keeps for all processes what keeps this one from hearing; empty: nothing does. */
export async function noteListening(db: Connection, carrier: string, holder: string, problem: string): Promise<void> {
  await run(db, noteStatement, [carrier, holder, problem]);
}

/** Leaves the place to whoever wants it. */
export async function leaveListening(db: Connection, carrier: string, holder: string): Promise<void> {
  await run(db, leaveStatement, [carrier, holder]);
}

/** Returns what keeps the bots of carriers from being heard, by the names of the carriers. */
export async function readListeningProblems(db: Connection): Promise<Map<string, string>> {
  const rows = await run(db, problemsStatement, []);
  return new Map(rows.map(({ carrier, problem }) => [carrier, problem]));
}
