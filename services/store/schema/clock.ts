import { STEP_MS } from '../../domain/clock.ts';

/** The deployment's time, which nobody can set (DECISIONS.md "One clock"; engine/clock.ts keeps it). */
export const clock = [
  // What the clocks said when they were last looked at. One row, never updated: each look inserts a new one in its
  // place, and readers take the newest, so that old versions cost nothing while a snapshot keeps them.
  `CREATE TABLE clock (
     id bigint PRIMARY KEY,
     wall_at timestamptz NOT NULL,
     ahead_ms float8 NOT NULL,
     boot text NOT NULL,
     uptime_ms float8 NOT NULL,
     stepped_at timestamptz,
     stepped_by_ms float8
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  // The database's own clock, which somebody may set at any time. For comparing with other times of Postgres only.
  // Whole milliseconds, so that a time read into JavaScript equals the stored one.
  `CREATE FUNCTION tocsin_wall() RETURNS timestamptz LANGUAGE sql VOLATILE
     AS $$ SELECT date_trunc('milliseconds', clock_timestamp()) $$`,
  deploymentTime(),
];

/**
 * The one clock of all decisions. Between two looks it goes with the database's clock; where that has gone back, or
 * leapt further than a look is away, it stands still until the next look knows by how much. So nothing fires early.
 *
 * Compare with `(SELECT tocsin_now())`: a bare volatile call in a WHERE clause would keep the index on a due time from
 * being used. Tests replace the function by one that stands still until they move it.
 */
export function deploymentTime(): string {
  return `CREATE OR REPLACE FUNCTION tocsin_now() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
   DECLARE
     wall timestamptz := tocsin_wall();
     last record;
   BEGIN
     SELECT wall_at, ahead_ms * interval '1 millisecond' AS ahead INTO last FROM clock ORDER BY id DESC LIMIT 1;
     IF NOT FOUND THEN RETURN wall; END IF;
     IF wall BETWEEN last.wall_at AND last.wall_at + ${STEP_MS} * interval '1 millisecond' THEN
       RETURN wall + last.ahead;
     END IF;
     RETURN last.wall_at + last.ahead;
   END $$`;
}
