import { GAP_ENDS_S, GAPS_MOST } from '../../domain/rhythm.ts';

/** API keys of machines, and console tokens. */
const keys = [
  `CREATE TABLE api_key (
     account_id text NOT NULL,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     key text NOT NULL,
     label text NOT NULL,
     -- Where people alerted can look when it trips something (DECISIONS.md "Look here").
     look_url text NOT NULL DEFAULT '',
     alarm_id text,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     expires_at timestamptz,
     revoked_at timestamptz,
     last_used_at timestamptz,
     last_used_address text,
     last_used_agent text,
     -- Supervision (DECISIONS.md "Supervised senders"). 0: off. supervised_at: since when it is as it is.
     supervision_s int NOT NULL DEFAULT 0 CHECK (supervision_s = 0 OR supervision_s BETWEEN 120 AND 604800),
     on_silence text NOT NULL DEFAULT 'notify' CHECK (on_silence IN ('notify', 'alert')),
     supervised_at timestamptz,
     -- The last proof of life, and the last by a socket; how long the gaps between calls were (domain/rhythm.ts), and
     -- since when they are counted.
     alive_at timestamptz,
     socket_at timestamptz,
     gaps int[],
     gaps_since timestamptz,
     -- A silence that was found: since when nothing was heard, when it was found, what became of it. told_at: when a
     -- silence was last told; told_with: when one notice told of several keys; silences: how many since then.
     silent_since timestamptz,
     silent_at timestamptz,
     silence text NOT NULL DEFAULT 'none' CHECK (silence IN ('none', 'recorded', 'told', 'laid_aside')),
     told_at timestamptz,
     told_with timestamptz,
     silences int NOT NULL DEFAULT 0,
     -- Whether this silence is still to trigger the key's alarm.
     alert text NOT NULL DEFAULT 'none' CHECK (alert IN ('none', 'waits')),
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id),
     FOREIGN KEY (account_id, alarm_id) REFERENCES source (account_id, id) DEFERRABLE INITIALLY DEFERRED
   )`,
  'CREATE UNIQUE INDEX api_key_number ON api_key (seq)',
  'CREATE UNIQUE INDEX api_key_key ON api_key (account_id, key)',
  'CREATE INDEX api_key_seq ON api_key (account_id, seq)',
  // Counts a gap between two calls, in seconds, by its length (domain/rhythm.ts).
  `CREATE FUNCTION tocsin_count_gap(gaps int[], gap_s float8) RETURNS int[] LANGUAGE plpgsql IMMUTABLE AS $$
   DECLARE
     counted int[] := coalesce(gaps, array_fill(0, ARRAY[${GAP_ENDS_S.length}]));
     place int := least(${GAP_ENDS_S.length}, 1 + (SELECT count(*) FROM unnest(ARRAY[${GAP_ENDS_S.join(', ')}]) AS e (ends) WHERE e.ends < gap_s));
   BEGIN
     counted[place] := counted[place] + 1;
     IF (SELECT sum(c.times) FROM unnest(counted) AS c (times)) > ${GAPS_MOST} THEN
       counted := ARRAY(SELECT c.times / 2 FROM unnest(counted) WITH ORDINALITY AS c (times, nth) ORDER BY c.nth);
     END IF;
     RETURN counted;
   END $$`,
  'CREATE INDEX api_key_supervised ON api_key (account_id) WHERE supervision_s > 0',
  // Whoever changes the supervision of a key begins it anew: life was written as seldom as the one before allowed. So
  // does whoever gives a later end to a key that was over: nobody could call with it.
  `CREATE FUNCTION tocsin_supervise_anew() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     NEW.supervised_at := tocsin_now();
     NEW.silent_since := NULL;
     NEW.silent_at := NULL;
     NEW.silence := 'none';
     NEW.told_at := NULL;
     NEW.told_with := NULL;
     NEW.silences := 0;
     NEW.alert := 'none';
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER api_key_supervised_anew BEFORE UPDATE OF supervision_s, expires_at ON api_key FOR EACH ROW
     WHEN (OLD.supervision_s <> NEW.supervision_s
       OR OLD.expires_at <= tocsin_now() AND OLD.expires_at IS DISTINCT FROM NEW.expires_at) EXECUTE FUNCTION tocsin_supervise_anew()`,
  'CREATE INDEX api_key_alarm ON api_key (account_id, alarm_id) WHERE alarm_id IS NOT NULL',
  // A key has several secrets while it is being rotated. The digest alone names the account, so it is the primary key
  // here. `pepper`: which one the digest was made under.
  `CREATE TABLE api_key_secret (
     digest bytea PRIMARY KEY,
     account_id text NOT NULL,
     key_id text NOT NULL,
     last4 text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     ends_at timestamptz,
     pepper text NOT NULL,
     FOREIGN KEY (account_id, key_id) REFERENCES api_key (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  'CREATE INDEX api_key_secret_key ON api_key_secret (account_id, key_id)',
  // account_id is null for the operator's token, which names the account in each call.
  `CREATE TABLE console_token (
     id text PRIMARY KEY,
     account_id text REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     kind text NOT NULL GENERATED ALWAYS AS (CASE WHEN account_id IS NULL THEN 'operator' ELSE 'account' END) STORED,
     digest bytea NOT NULL UNIQUE,
     pepper text NOT NULL,
     label text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     expires_at timestamptz,
     revoked_at timestamptz
   )`,
  'CREATE INDEX console_token_seq ON console_token (account_id, seq)',
  // Secrets that the first start made and nobody was shown yet.
  'CREATE TABLE unshown (id text PRIMARY KEY, sealed text NOT NULL)',
];

/** The people with access to accounts (DECISIONS.md "Members and roles"). */
const members = [
  // `email` is sealed; a person who signs in is found by its digest, in lower case and under the pepper. Whoever signed
  // in by a code to their address has shown that it is theirs; all other owners are asked once (`asked_at`).
  `CREATE TABLE member (
     account_id text NOT NULL REFERENCES account (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     id text NOT NULL,
     seq bigint GENERATED ALWAYS AS IDENTITY,
     email text NOT NULL,
     email_digest bytea NOT NULL,
     name text NOT NULL,
     role text NOT NULL CHECK (role IN ('owner', 'editor', 'responder', 'viewer')),
     invited_at timestamptz NOT NULL DEFAULT tocsin_now(),
     asked_at timestamptz,
     confirmed_at timestamptz,
     last_seen_at timestamptz,
     version int NOT NULL DEFAULT 1,
     PRIMARY KEY (account_id, id)
   )`,
  'CREATE UNIQUE INDEX member_email ON member (email_digest, account_id)',
  "CREATE INDEX member_unconfirmed ON member (seq) WHERE confirmed_at IS NULL AND role = 'owner'",
];

/**
 * How people sign in (DECISIONS.md "Sign-in", "Sessions"). None of it belongs to one account: a person may be a member
 * of several, and the operator's token gives access to all.
 */
const signIn = [
  // Of a person (the digest of their email), or of a console token by its digest: replacing the operator's secret ends
  // it too.
  `CREATE TABLE console_session (
     id text PRIMARY KEY,
     digest bytea NOT NULL UNIQUE,
     person bytea,
     token_digest bytea,
     agent text NOT NULL,
     address text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT tocsin_now(),
     last_seen_at timestamptz NOT NULL DEFAULT tocsin_now(),
     expires_at timestamptz NOT NULL,
     CHECK ((person IS NULL) <> (token_digest IS NULL))
   )`,
  'CREATE INDEX console_session_person ON console_session (person)',
  'CREATE INDEX console_session_token ON console_session (token_digest)',
  'CREATE INDEX console_session_expires ON console_session (expires_at)',
  // Codes by who asks for them, so that no stranger uses up what a person needs to sign in, nor their code. For one
  // person: a browser, with its last code, null once it was used; a network; or all strangers together. `sent`: when
  // codes were sent that count for it.
  `CREATE TABLE sign_in_asker (
     person bytea NOT NULL,
     asker bytea NOT NULL,
     digest bytea,
     code_expires_at timestamptz NOT NULL DEFAULT tocsin_now(),
     guesses int NOT NULL DEFAULT 0,
     sent timestamptz[] NOT NULL DEFAULT '{}',
     signed_in_at timestamptz,
     expires_at timestamptz NOT NULL DEFAULT tocsin_now(),
     PRIMARY KEY (person, asker)
   )`,
  'CREATE INDEX sign_in_asker_expires ON sign_in_asker (expires_at)',
  // A link signs in as a token, or confirms the address of a member.
  `CREATE TABLE sign_in_link (
     digest bytea PRIMARY KEY,
     token_digest bytea,
     account_id text,
     member_id text,
     expires_at timestamptz NOT NULL,
     FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     CHECK ((token_digest IS NULL) = (member_id IS NOT NULL))
   )`,
  'CREATE INDEX sign_in_link_expires ON sign_in_link (expires_at)',
  'CREATE INDEX sign_in_link_member ON sign_in_link (account_id, member_id) WHERE member_id IS NOT NULL',
];

/** The secrets of the deployment: none of them is stored. */
const secrets = [
  // Proofs of the secrets that the data were written with (database-checks.ts).
  `CREATE TABLE secret_proof (name text PRIMARY KEY CHECK (name IN ('KEY_PEPPER', 'DATA_KEY')), proof text NOT NULL)`,
  // How far the move to another one is (DECISIONS.md "Changing DATA_KEY and KEY_PEPPER"). `key_id` names that one.
  `CREATE TABLE rotation (
     what text PRIMARY KEY CHECK (what IN ('DATA_KEY', 'KEY_PEPPER')),
     key_id text NOT NULL,
     moved bigint NOT NULL DEFAULT 0,
     done_at timestamptz
   )`,
];

export const access = [...keys, ...members, ...signIn, ...secrets];
