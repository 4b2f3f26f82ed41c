/** What is of the deployment and of no account. */
export const deployment = [
  // How the scheduled backups go, in one row (DECISIONS.md "Scheduled backups"). `label` is part of the names of the
  // files. `tries` counts attempts, so that of several processes one makes each.
  `CREATE TABLE backup_state (
     one boolean PRIMARY KEY DEFAULT true CHECK (one),
     label text NOT NULL,
     tries bigint NOT NULL DEFAULT 0,
     tried_at timestamptz,
     failure text,
     made_at timestamptz,
     file text,
     machine text,
     bytes bigint,
     row_count bigint,
     seconds double precision
   )`,
  "INSERT INTO backup_state (label) VALUES (substr(replace(gen_random_uuid()::text, '-', ''), 1, 8))",
  // The timelines of Postgres that this database was seen on: a promoted server begins one (DECISIONS.md "The database
  // went back"). at: when it was noticed, null of the first. known_until: the last time that the server which took over
  // had of the one before.
  `CREATE TABLE takeover (
     timeline int PRIMARY KEY,
     at timestamptz,
     known_until timestamptz,
     stored_again int NOT NULL DEFAULT 0,
     not_stored int NOT NULL DEFAULT 0
   )`,
  // Since when each process accepts calls without a break, and until when it said so (engine/watch/accepting.ts).
  `CREATE TABLE accepting (
     process text PRIMARY KEY,
     since timestamptz NOT NULL,
     until timestamptz NOT NULL
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  // Which process hears what people say to the bot of a carrier, for how long, and what keeps it from that; empty: nothing
  // (responder/listening.ts).
  `CREATE TABLE listening (
     carrier text PRIMARY KEY,
     holder text NOT NULL,
     until timestamptz NOT NULL,
     problem text NOT NULL DEFAULT ''
   ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  // What the watchman saw last (engine/watch/watchman.ts), for all processes to tell. One row: each look takes the place
  // after the last one, so that of two processes one looks.
  `CREATE TABLE watch (
     id bigint PRIMARY KEY,
     at timestamptz NOT NULL,
     seen_at timestamptz,
     faults text[] NOT NULL DEFAULT '{}',
     beat_ms float8,
     dry_life_ms float8
   ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  // What the operator set up in the console (DECISIONS.md "Carriers set up in the console"). `part`: what is set together, such
  // as a carrier. Each change adds a row, which says who made it and the names of the settings, and takes `sealed` from
  // the one before: no value stays that is not in use. `names` is empty where it was removed.
  `CREATE TABLE deployment_setting (
     id text PRIMARY KEY,
     part text NOT NULL,
     version int NOT NULL CHECK (version > 0),
     names text[] NOT NULL,
     sealed text,
     set_by text NOT NULL,
     set_by_token_id text,
     set_at timestamptz NOT NULL DEFAULT tocsin_now(),
     UNIQUE (part, version)
   )`,
  // The key by which the push services of browsers know this deployment, sealed: browsers subscribe for it, so that it is made once and is in
  // every backup.
  `CREATE TABLE web_push_key (
     id text PRIMARY KEY DEFAULT 'vapid' CHECK (id = 'vapid'),
     sealed text NOT NULL
   )`,
  'CREATE UNIQUE INDEX deployment_setting_now ON deployment_setting (part) WHERE sealed IS NOT NULL',
];
