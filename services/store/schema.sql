-- Made from a migrated database by npm run schema: do not edit.

CREATE TABLE accepting (
  process text NOT NULL,
  since timestamp with time zone NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT accepting_pkey PRIMARY KEY (process)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000, fillfactor=50);
GRANT DELETE, INSERT, SELECT, UPDATE ON accepting TO product;

CREATE TABLE account (
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text NOT NULL,
  plan text NOT NULL,
  purpose text DEFAULT 'use'::text NOT NULL,
  owner_email text,
  owner_locale text DEFAULT 'en'::text NOT NULL,
  owner_time_zone text DEFAULT 'UTC'::text NOT NULL,
  still_happening_s integer DEFAULT 0 NOT NULL,
  daily_spend_cap_cents integer DEFAULT 1000 NOT NULL,
  daily_spend_ceiling_cents integer DEFAULT 25000 NOT NULL,
  limits_checked_at timestamp with time zone,
  drills text DEFAULT 'off'::text NOT NULL,
  created_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  CONSTRAINT account_pkey PRIMARY KEY (id),
  CONSTRAINT account_drills_check CHECK ((drills = ANY (ARRAY['off'::text, 'monthly'::text]))),
  CONSTRAINT account_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'paid'::text]))),
  CONSTRAINT account_purpose_check CHECK ((purpose = ANY (ARRAY['use'::text, 'demo'::text]))),
  CONSTRAINT account_still_happening_s_check CHECK (((still_happening_s >= 0) AND (still_happening_s <= 86400)))
);
CREATE INDEX account_drills ON account USING btree (seq) WHERE (drills <> 'off'::text);
CREATE INDEX account_first_days ON account USING btree (created_at) WHERE ((plan = 'free'::text) AND (limits_checked_at IS NULL));
CREATE UNIQUE INDEX account_number ON account USING btree (seq);
CREATE TRIGGER account_deleted AFTER DELETE ON account FOR EACH ROW EXECUTE FUNCTION tocsin_keep_deleted_account();
CREATE TRIGGER account_version_begin AFTER INSERT ON account FOR EACH ROW EXECUTE FUNCTION tocsin_begin_version();
CREATE TRIGGER account_version_update AFTER UPDATE ON account REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_account_update();
GRANT INSERT, SELECT, UPDATE ON account TO product;

CREATE TABLE account_version (
  account_id text NOT NULL,
  version uuid DEFAULT gen_random_uuid() NOT NULL,
  CONSTRAINT account_version_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_version_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) WITH (fillfactor=50);
GRANT DELETE, INSERT, SELECT, UPDATE ON account_version TO product;

CREATE TABLE api_key (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  key text NOT NULL,
  label text NOT NULL,
  look_url text DEFAULT ''::text NOT NULL,
  alarm_id text,
  created_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_address text,
  last_used_agent text,
  supervision_s integer DEFAULT 0 NOT NULL,
  on_silence text DEFAULT 'notify'::text NOT NULL,
  supervised_at timestamp with time zone,
  alive_at timestamp with time zone,
  socket_at timestamp with time zone,
  gaps integer[],
  gaps_since timestamp with time zone,
  silent_since timestamp with time zone,
  silent_at timestamp with time zone,
  silence text DEFAULT 'none'::text NOT NULL,
  told_at timestamp with time zone,
  told_with timestamp with time zone,
  silences integer DEFAULT 0 NOT NULL,
  alert text DEFAULT 'none'::text NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  CONSTRAINT api_key_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT api_key_account_id_alarm_id_fkey FOREIGN KEY (account_id, alarm_id) REFERENCES source(account_id, id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT api_key_alert_check CHECK ((alert = ANY (ARRAY['none'::text, 'waits'::text]))),
  CONSTRAINT api_key_on_silence_check CHECK ((on_silence = ANY (ARRAY['notify'::text, 'alert'::text]))),
  CONSTRAINT api_key_silence_check CHECK ((silence = ANY (ARRAY['none'::text, 'recorded'::text, 'told'::text, 'laid_aside'::text]))),
  CONSTRAINT api_key_supervision_s_check CHECK (((supervision_s = 0) OR ((supervision_s >= 120) AND (supervision_s <= 604800))))
);
CREATE INDEX api_key_alarm ON api_key USING btree (account_id, alarm_id) WHERE (alarm_id IS NOT NULL);
CREATE UNIQUE INDEX api_key_key ON api_key USING btree (account_id, key);
CREATE UNIQUE INDEX api_key_number ON api_key USING btree (seq);
CREATE INDEX api_key_seq ON api_key USING btree (account_id, seq);
CREATE INDEX api_key_supervised ON api_key USING btree (account_id) WHERE (supervision_s > 0);
CREATE TRIGGER api_key_supervised_anew BEFORE UPDATE OF supervision_s, expires_at ON api_key FOR EACH ROW WHEN (((old.supervision_s <> new.supervision_s) OR ((old.expires_at <= tocsin_now()) AND (old.expires_at IS DISTINCT FROM new.expires_at)))) EXECUTE FUNCTION tocsin_supervise_anew();
CREATE TRIGGER api_key_version_delete AFTER DELETE ON api_key REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_api_key_delete();
CREATE TRIGGER api_key_version_insert AFTER INSERT ON api_key REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_api_key_insert();
CREATE TRIGGER api_key_version_update AFTER UPDATE ON api_key REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_api_key_update();
GRANT DELETE, INSERT, SELECT, UPDATE ON api_key TO product;

CREATE TABLE api_key_secret (
  digest bytea NOT NULL,
  account_id text NOT NULL,
  key_id text NOT NULL,
  last4 text NOT NULL,
  created_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  ends_at timestamp with time zone,
  pepper text NOT NULL,
  CONSTRAINT api_key_secret_pkey PRIMARY KEY (digest),
  CONSTRAINT api_key_secret_account_id_key_id_fkey FOREIGN KEY (account_id, key_id) REFERENCES api_key(account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX api_key_secret_key ON api_key_secret USING btree (account_id, key_id);
CREATE TRIGGER api_key_secret_version_delete AFTER DELETE ON api_key_secret REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_api_key_secret_delete();
CREATE TRIGGER api_key_secret_version_insert AFTER INSERT ON api_key_secret REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_api_key_secret_insert();
CREATE TRIGGER api_key_secret_version_update AFTER UPDATE ON api_key_secret REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_api_key_secret_update();
GRANT DELETE, INSERT, SELECT, UPDATE ON api_key_secret TO product;

CREATE TABLE audit (
  account_id text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  actor text NOT NULL,
  actor_kind text NOT NULL,
  actor_token_id text,
  actor_member_id text,
  kind text NOT NULL,
  thing_id text NOT NULL,
  name text NOT NULL,
  action text NOT NULL,
  before jsonb,
  after jsonb,
  CONSTRAINT audit_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT audit_action_check CHECK ((action = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text, 'rotate'::text, 'revoke'::text]))),
  CONSTRAINT audit_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['operator'::text, 'account'::text, 'member'::text, 'contact'::text, 'config_file'::text, 'product'::text])))
);
CREATE INDEX audit_recent ON audit USING brin (at) WITH (autosummarize='on');
CREATE INDEX audit_thing ON audit USING btree (account_id, thing_id, id);
GRANT INSERT, SELECT ON audit TO product;

CREATE TABLE backup_state (
  one boolean DEFAULT true NOT NULL,
  label text NOT NULL,
  tries bigint DEFAULT 0 NOT NULL,
  tried_at timestamp with time zone,
  failure text,
  made_at timestamp with time zone,
  file text,
  machine text,
  bytes bigint,
  row_count bigint,
  seconds double precision,
  CONSTRAINT backup_state_pkey PRIMARY KEY (one),
  CONSTRAINT backup_state_one_check CHECK (one)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON backup_state TO product;

CREATE TABLE chat_link (
  account_id text NOT NULL,
  contact_id text NOT NULL,
  digest bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  taken_at timestamp with time zone,
  CONSTRAINT chat_link_pkey PRIMARY KEY (account_id, contact_id),
  CONSTRAINT chat_link_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact(account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX chat_link_digest ON chat_link USING btree (digest);
GRANT DELETE, INSERT, SELECT, UPDATE ON chat_link TO product;

CREATE TABLE clock (
  id bigint NOT NULL,
  wall_at timestamp with time zone NOT NULL,
  ahead_ms double precision NOT NULL,
  boot text NOT NULL,
  uptime_ms double precision NOT NULL,
  stepped_at timestamp with time zone,
  stepped_by_ms double precision,
  CONSTRAINT clock_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000);
GRANT DELETE, INSERT, SELECT, UPDATE ON clock TO product;

CREATE TABLE console_session (
  id text NOT NULL,
  digest bytea NOT NULL,
  person bytea,
  token_digest bytea,
  agent text NOT NULL,
  address text NOT NULL,
  created_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  last_seen_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT console_session_digest_key UNIQUE (digest),
  CONSTRAINT console_session_pkey PRIMARY KEY (id),
  CONSTRAINT console_session_check CHECK (((person IS NULL) <> (token_digest IS NULL)))
);
CREATE INDEX console_session_expires ON console_session USING btree (expires_at);
CREATE INDEX console_session_person ON console_session USING btree (person);
CREATE INDEX console_session_token ON console_session USING btree (token_digest);
GRANT DELETE, INSERT, SELECT, UPDATE ON console_session TO product;

CREATE TABLE console_token (
  id text NOT NULL,
  account_id text,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text GENERATED ALWAYS AS ( CASE WHEN (account_id IS NULL) THEN 'operator'::text ELSE 'account'::text END) STORED NOT NULL,
  digest bytea NOT NULL,
  pepper text NOT NULL,
  label text NOT NULL,
  created_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  CONSTRAINT console_token_digest_key UNIQUE (digest),
  CONSTRAINT console_token_pkey PRIMARY KEY (id),
  CONSTRAINT console_token_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX console_token_seq ON console_token USING btree (account_id, seq);
GRANT DELETE, INSERT, SELECT, UPDATE ON console_token TO product;

CREATE TABLE contact (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  key text NOT NULL,
  name text NOT NULL,
  locale text DEFAULT 'en'::text NOT NULL,
  time_zone text DEFAULT 'UTC'::text NOT NULL,
  voice text DEFAULT ''::text NOT NULL,
  show_number boolean DEFAULT false NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  CONSTRAINT contact_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT contact_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX contact_key ON contact USING btree (account_id, key);
CREATE INDEX contact_seq ON contact USING btree (account_id, seq);
GRANT DELETE, INSERT, SELECT, UPDATE ON contact TO product;

CREATE TABLE contact_channel (
  account_id text NOT NULL,
  contact_id text NOT NULL,
  channel text NOT NULL,
  slot smallint DEFAULT 0 NOT NULL,
  "position" integer NOT NULL,
  address text NOT NULL,
  via text DEFAULT ''::text NOT NULL,
  verified_at timestamp with time zone,
  connected_at timestamp with time zone,
  disabled_reason text,
  last_delivered_at timestamp with time zone,
  proven_at timestamp with time zone,
  proven_in text,
  ring text,
  CONSTRAINT contact_channel_pkey PRIMARY KEY (account_id, contact_id, channel, slot),
  CONSTRAINT contact_channel_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact(account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT contact_channel_channel_check CHECK ((channel = ANY (ARRAY['text'::text, 'call'::text, 'email'::text, 'push'::text, 'chat'::text, 'webhook'::text]))),
  CONSTRAINT contact_channel_ring_check CHECK ((ring = ANY (ARRAY['aloud'::text, 'silent'::text]))),
  CONSTRAINT contact_channel_slot_check CHECK (((slot >= 0) AND (slot <= 3)))
);
GRANT DELETE, INSERT, SELECT, UPDATE ON contact_channel TO product;

CREATE TABLE deleted_account (
  account_id text NOT NULL,
  seq bigint NOT NULL,
  deleted_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  erased_at timestamp with time zone,
  erased_by text,
  CONSTRAINT deleted_account_pkey PRIMARY KEY (account_id),
  CONSTRAINT deleted_account_check CHECK (((erased_at IS NULL) = (erased_by IS NULL)))
);
CREATE INDEX deleted_account_seq ON deleted_account USING btree (seq);
GRANT SELECT, UPDATE ON deleted_account TO product;

CREATE TABLE delivery (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  incident_id text NOT NULL,
  kind text NOT NULL,
  round integer NOT NULL,
  step integer NOT NULL,
  contact_id text NOT NULL,
  channel text NOT NULL,
  instead_of text,
  status text NOT NULL,
  reason text,
  planned_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  due_at timestamp with time zone NOT NULL,
  moved_from timestamp with time zone,
  attempt integer DEFAULT 0 NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  lease_until timestamp with time zone,
  first_attempt_at timestamp with time zone,
  carrier_away_at timestamp with time zone,
  carrier text,
  slot smallint,
  carrier_tries jsonb,
  asked_of text,
  asked_at timestamp with time zone,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  provider_ref text,
  message text,
  audited text,
  CONSTRAINT delivery_account_id_incident_id_kind_round_step_contact_id__key UNIQUE (account_id, incident_id, kind, round, step, contact_id, channel),
  CONSTRAINT delivery_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT delivery_account_id_incident_id_fkey FOREIGN KEY (account_id, incident_id) REFERENCES incident(account_id, id),
  CONSTRAINT delivery_audited_check CHECK ((audited = ANY (ARRAY['in_time'::text, 'late'::text, 'overdue'::text, 'missed'::text, 'put_off'::text]))),
  CONSTRAINT delivery_kind_check CHECK ((kind = ANY (ARRAY['alert'::text, 'acknowledged'::text, 'still_happening'::text]))),
  CONSTRAINT delivery_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'suppressed'::text, 'sending'::text, 'sent'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text, 'no_carrier'::text])))
) WITH (autovacuum_vacuum_scale_factor=0.01, fillfactor=80);
CREATE INDEX delivery_asked ON delivery USING btree (asked_of, asked_at) WHERE (asked_at < 'infinity'::timestamp with time zone);
CREATE INDEX delivery_due ON delivery USING btree (channel, due_at, seq) WHERE (status = 'scheduled'::text);
CREATE INDEX delivery_id ON delivery USING btree (id);
CREATE INDEX delivery_leased ON delivery USING btree (channel, lease_until) WHERE (status = 'sending'::text);
CREATE INDEX delivery_overdue ON delivery USING btree (planned_at) WHERE ((audited = 'overdue'::text) AND ((first_attempt_at IS NOT NULL) OR (status <> ALL (ARRAY['scheduled'::text, 'sending'::text]))));
CREATE INDEX delivery_recent ON delivery USING btree (account_id, contact_id, channel, sent_at) WHERE (sent_at IS NOT NULL);
CREATE INDEX delivery_turn ON delivery USING btree ((((channel || '/'::text) || account_id)) COLLATE "C", ( CASE WHEN (tries < 2) THEN 'fresh'::text ELSE 'failing'::text END) COLLATE "C", due_at, seq) WHERE (status = 'scheduled'::text);
CREATE INDEX delivery_turn_failing ON delivery USING btree ((((channel || '/'::text) || account_id)) COLLATE "C", planned_at DESC, due_at) WHERE ((status = 'scheduled'::text) AND (tries >= 2));
CREATE INDEX delivery_turn_first ON delivery USING btree ((((channel || '/'::text) || account_id)) COLLATE "C", due_at DESC, seq) WHERE ((status = 'scheduled'::text) AND (kind = 'alert'::text) AND (round = 0) AND (step = 0) AND (tries = 0));
CREATE INDEX delivery_unaudited ON delivery USING btree (planned_at) WHERE ((kind = 'alert'::text) AND (audited IS NULL) AND (status <> 'suppressed'::text));
GRANT DELETE, INSERT, SELECT, UPDATE ON delivery TO product;

CREATE TABLE deployment_setting (
  id text NOT NULL,
  part text NOT NULL,
  version integer NOT NULL,
  names text[] NOT NULL,
  sealed text,
  set_by text NOT NULL,
  set_by_token_id text,
  set_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  CONSTRAINT deployment_setting_part_version_key UNIQUE (part, version),
  CONSTRAINT deployment_setting_pkey PRIMARY KEY (id),
  CONSTRAINT deployment_setting_version_check CHECK ((version > 0))
);
CREATE UNIQUE INDEX deployment_setting_now ON deployment_setting USING btree (part) WHERE (sealed IS NOT NULL);
GRANT DELETE, INSERT, SELECT, UPDATE ON deployment_setting TO product;

CREATE TABLE device_link (
  account_id text NOT NULL,
  contact_id text NOT NULL,
  digest bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  taken_at timestamp with time zone,
  CONSTRAINT device_link_pkey PRIMARY KEY (account_id, contact_id),
  CONSTRAINT device_link_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact(account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX device_link_digest ON device_link USING btree (digest);
GRANT DELETE, INSERT, SELECT, UPDATE ON device_link TO product;

CREATE TABLE duty (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  key text NOT NULL,
  name text NOT NULL,
  time_zone text NOT NULL,
  hours jsonb NOT NULL,
  otherwise jsonb NOT NULL,
  exceptions jsonb NOT NULL,
  tell boolean DEFAULT true NOT NULL,
  contact_ids text[] NOT NULL,
  look_at timestamp with time zone,
  on_duty text[],
  feed_digest bytea,
  version integer DEFAULT 1 NOT NULL,
  CONSTRAINT duty_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT duty_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX duty_feed ON duty USING btree (feed_digest) WHERE (feed_digest IS NOT NULL);
CREATE UNIQUE INDEX duty_key ON duty USING btree (account_id, key);
CREATE INDEX duty_look ON duty USING btree (look_at) WHERE (look_at IS NOT NULL);
CREATE INDEX duty_seq ON duty USING btree (account_id, seq);
GRANT DELETE, INSERT, SELECT, UPDATE ON duty TO product;

CREATE TABLE gate (
  source_seq bigint NOT NULL,
  id bigint NOT NULL,
  armed_mode text,
  CONSTRAINT gate_pkey PRIMARY KEY (source_seq, id)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000);
GRANT DELETE, INSERT, SELECT, UPDATE ON gate TO product;

CREATE TABLE incident (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  source_id text NOT NULL,
  location_id text NOT NULL,
  mode text,
  environment text NOT NULL,
  status text NOT NULL,
  outcome text NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  applied_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  window_ended_at timestamp with time zone,
  escalation_ends_at timestamp with time zone NOT NULL,
  looks_at timestamp with time zone,
  auto_close_at timestamp with time zone NOT NULL,
  unreached_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  acknowledged_via text,
  acknowledged_contact_id text,
  handed_over integer DEFAULT 0 NOT NULL,
  handed_to text,
  ask_again_after_s integer DEFAULT 0 NOT NULL,
  asked_again integer DEFAULT 0 NOT NULL,
  asks_again_at timestamp with time zone,
  closed_at timestamp with time zone,
  close_reason text,
  disposition text,
  trigger_count integer NOT NULL,
  last_trigger_at timestamp with time zone NOT NULL,
  tripped_keys jsonb DEFAULT '[]'::jsonb NOT NULL,
  tripped_labels jsonb DEFAULT '{}'::jsonb NOT NULL,
  silent_since timestamp with time zone,
  first_call_id bigint DEFAULT 0 NOT NULL,
  trace_id uuid NOT NULL,
  reply_code text DEFAULT ''::text NOT NULL,
  copy jsonb NOT NULL STORAGE EXTERNAL,
  CONSTRAINT incident_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT incident_account_id_source_id_fkey FOREIGN KEY (account_id, source_id) REFERENCES source(account_id, id),
  CONSTRAINT incident_check CHECK (((status = 'closed'::text) = (closed_at IS NOT NULL))),
  CONSTRAINT incident_check1 CHECK (((status = 'closed'::text) = (close_reason IS NOT NULL))),
  CONSTRAINT incident_disposition_check CHECK ((disposition = ANY (ARRAY['real'::text, 'false_alarm'::text, 'test'::text]))),
  CONSTRAINT incident_environment_check CHECK ((environment = ANY (ARRAY['live'::text, 'test'::text, 'drill'::text]))),
  CONSTRAINT incident_outcome_check CHECK ((outcome = ANY (ARRAY['alerting'::text, 'nobody_to_alert'::text, 'nobody_reached'::text, 'exhausted'::text]))),
  CONSTRAINT incident_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
) WITH (fillfactor=80, toast_tuple_target=256);
CREATE INDEX incident_auto_close ON incident USING btree (auto_close_at) WHERE ((status = 'open'::text) AND (auto_close_at < 'infinity'::timestamp with time zone));
CREATE INDEX incident_closed ON incident USING btree (account_id, closed_at) WHERE ((environment = 'live'::text) AND (status = 'closed'::text));
CREATE INDEX incident_looks ON incident USING btree (looks_at) WHERE ((status = 'open'::text) AND (looks_at IS NOT NULL));
CREATE INDEX incident_newest ON incident USING btree (account_id, opened_at DESC, id DESC);
CREATE UNIQUE INDEX incident_number ON incident USING btree (seq);
CREATE INDEX incident_of_source ON incident USING btree (((account_id || source_id)), opened_at);
CREATE UNIQUE INDEX incident_one_open ON incident USING btree (account_id, source_id) WHERE (status = 'open'::text);
CREATE INDEX incident_reply_code ON incident USING btree (reply_code) WHERE (reply_code <> ''::text);
GRANT DELETE, INSERT, SELECT, UPDATE ON incident TO product;

CREATE TABLE incident_entry (
  account_id text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  incident_id text NOT NULL,
  at timestamp with time zone NOT NULL,
  kind text NOT NULL,
  detail text DEFAULT ''::text NOT NULL,
  by text DEFAULT ''::text NOT NULL,
  round integer,
  step integer,
  CONSTRAINT incident_entry_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT incident_entry_account_id_incident_id_fkey FOREIGN KEY (account_id, incident_id) REFERENCES incident(account_id, id)
);
CREATE INDEX incident_entry_incident ON incident_entry USING btree (account_id, incident_id, id);
CREATE INDEX incident_entry_recent ON incident_entry USING brin (at) WITH (autosummarize='on');
CREATE UNIQUE INDEX incident_entry_step ON incident_entry USING btree (account_id, incident_id, kind, round, step) WHERE (round IS NOT NULL);
GRANT DELETE, INSERT, SELECT, UPDATE ON incident_entry TO product;

CREATE TABLE journal (
  id bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  calls json NOT NULL,
  CONSTRAINT journal_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000, toast_tuple_target=4080);
GRANT DELETE, INSERT, SELECT, UPDATE ON journal TO product;

CREATE TABLE journal_cursor (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  applied_to bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  folds json NOT NULL,
  CONSTRAINT journal_cursor_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000);
GRANT DELETE, INSERT, SELECT, UPDATE ON journal_cursor TO product;

CREATE TABLE listening (
  carrier text NOT NULL,
  holder text NOT NULL,
  until timestamp with time zone NOT NULL,
  problem text DEFAULT ''::text NOT NULL,
  CONSTRAINT listening_pkey PRIMARY KEY (carrier)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000, fillfactor=50);
GRANT DELETE, INSERT, SELECT, UPDATE ON listening TO product;

CREATE TABLE location (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  key text NOT NULL,
  name text NOT NULL,
  address text DEFAULT ''::text NOT NULL,
  emergency_number text DEFAULT ''::text NOT NULL,
  test boolean DEFAULT false NOT NULL,
  test_until timestamp with time zone,
  test_told_for timestamp with time zone,
  deleted_at timestamp with time zone,
  version integer DEFAULT 1 NOT NULL,
  CONSTRAINT location_pkey PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX location_key ON location USING btree (account_id, key) WHERE (deleted_at IS NULL);
CREATE INDEX location_seq ON location USING btree (account_id, seq) WHERE (deleted_at IS NULL);
CREATE INDEX location_test_until ON location USING btree (test_until) WHERE ((test_until IS NOT NULL) AND (deleted_at IS NULL));
CREATE TRIGGER location_version_delete AFTER DELETE ON location REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_location_delete();
CREATE TRIGGER location_version_insert AFTER INSERT ON location REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_location_insert();
CREATE TRIGGER location_version_update AFTER UPDATE ON location REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_location_update();
GRANT DELETE, INSERT, SELECT, UPDATE ON location TO product;

CREATE TABLE logged_call (
  account_seq bigint NOT NULL,
  id bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  applied_at timestamp with time zone,
  confirmed_at timestamp with time zone,
  trace_id uuid NOT NULL,
  parent_trace_id uuid,
  source_seq bigint,
  key_seq bigint,
  incident_seq bigint,
  pending_id bigint,
  verb text NOT NULL,
  mode text,
  environment text,
  outcome text NOT NULL,
  actor text,
  silent_since timestamp with time zone,
  asked_id text,
  times integer DEFAULT 1 NOT NULL,
  CONSTRAINT logged_call_pkey PRIMARY KEY (account_seq, id),
  CONSTRAINT logged_call_times_check CHECK ((times > 0))
) WITH (autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX logged_call_incident ON logged_call USING btree (incident_seq, id) WHERE ((incident_seq IS NOT NULL) AND (outcome <> 'folded'::text));
CREATE INDEX logged_call_parent ON logged_call USING btree (parent_trace_id, id) WHERE (parent_trace_id IS NOT NULL);
CREATE INDEX logged_call_pending ON logged_call USING btree (pending_id, id) WHERE (pending_id IS NOT NULL);
CREATE INDEX logged_call_recent ON logged_call USING brin (applied_at) WITH (autosummarize='on');
CREATE INDEX logged_call_refused ON logged_call USING btree (account_seq, id) WHERE (applied_at IS NULL);
CREATE INDEX logged_call_source ON logged_call USING btree (source_seq, id);
CREATE INDEX logged_call_trace ON logged_call USING btree (trace_id);
GRANT DELETE, INSERT, SELECT, UPDATE ON logged_call TO product;

CREATE TABLE member (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  email text NOT NULL,
  email_digest bytea NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  invited_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  asked_at timestamp with time zone,
  confirmed_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  version integer DEFAULT 1 NOT NULL,
  CONSTRAINT member_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT member_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT member_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'editor'::text, 'responder'::text, 'viewer'::text])))
);
CREATE UNIQUE INDEX member_email ON member USING btree (email_digest, account_id);
CREATE INDEX member_unconfirmed ON member USING btree (seq) WHERE ((confirmed_at IS NULL) AND (role = 'owner'::text));
GRANT DELETE, INSERT, SELECT, UPDATE ON member TO product;

CREATE TABLE migration (
  id integer DEFAULT nextval('migration_id_seq'::regclass) NOT NULL,
  name character varying(255) NOT NULL,
  executed_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP(6) NOT NULL,
  CONSTRAINT migration_pkey PRIMARY KEY (id)
);
GRANT SELECT ON migration TO product;

CREATE TABLE mode (
  account_id text NOT NULL,
  source_id text NOT NULL,
  id text NOT NULL,
  name text NOT NULL,
  policy_id text,
  window_s integer DEFAULT 0 NOT NULL,
  CONSTRAINT mode_pkey PRIMARY KEY (account_id, source_id, id),
  CONSTRAINT mode_account_id_policy_id_fkey FOREIGN KEY (account_id, policy_id) REFERENCES policy(account_id, id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT mode_account_id_source_id_fkey FOREIGN KEY (account_id, source_id) REFERENCES source(account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT mode_id_check CHECK ((id = ANY (ARRAY['home'::text, 'away'::text, 'night'::text, 'vacation'::text]))),
  CONSTRAINT mode_window_s_check CHECK (((window_s >= 0) AND (window_s <= 120)))
);
CREATE INDEX mode_policy ON mode USING btree (account_id, policy_id) WHERE (policy_id IS NOT NULL);
CREATE TRIGGER mode_version_delete AFTER DELETE ON mode REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_mode_delete();
CREATE TRIGGER mode_version_insert AFTER INSERT ON mode REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_mode_insert();
CREATE TRIGGER mode_version_update AFTER UPDATE ON mode REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_mode_update();
GRANT DELETE, INSERT, SELECT, UPDATE ON mode TO product;

CREATE TABLE notice (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  once text NOT NULL,
  incident_id text,
  contact_id text,
  about jsonb DEFAULT '{}'::jsonb NOT NULL,
  at timestamp with time zone NOT NULL,
  planned_at timestamp with time zone,
  CONSTRAINT notice_account_id_kind_once_key UNIQUE (account_id, kind, once),
  CONSTRAINT notice_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX notice_incident ON notice USING btree (account_id, incident_id, seq);
CREATE INDEX notice_newest ON notice USING btree (account_id, seq DESC) WHERE (contact_id IS NULL);
CREATE INDEX notice_unplanned ON notice USING btree (seq) WHERE (planned_at IS NULL);
GRANT DELETE, INSERT, SELECT, UPDATE ON notice TO product;

CREATE TABLE notice_delivery (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  notice_id text NOT NULL,
  kind text NOT NULL,
  member_id text,
  contact_id text,
  channel text NOT NULL,
  status text DEFAULT 'scheduled'::text NOT NULL,
  reason text,
  planned_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  due_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  lease_until timestamp with time zone,
  first_attempt_at timestamp with time zone,
  sent_at timestamp with time zone,
  CONSTRAINT notice_delivery_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT notice_delivery_account_id_notice_id_fkey FOREIGN KEY (account_id, notice_id) REFERENCES notice(account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT notice_delivery_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'no_carrier'::text])))
);
CREATE INDEX notice_delivery_due ON notice_delivery USING btree (due_at, seq) WHERE (status = 'scheduled'::text);
CREATE INDEX notice_delivery_leased ON notice_delivery USING btree (lease_until) WHERE (status = 'sending'::text);
CREATE INDEX notice_delivery_of ON notice_delivery USING btree (account_id, notice_id, seq);
CREATE INDEX notice_delivery_sent ON notice_delivery USING btree (account_id, kind, COALESCE(member_id, contact_id), channel, sent_at) WHERE (sent_at IS NOT NULL);
CREATE INDEX notice_delivery_turn ON notice_delivery USING btree ((('notice/'::text || account_id)) COLLATE "C", ( CASE WHEN (tries < 2) THEN 'fresh'::text ELSE 'failing'::text END) COLLATE "C", due_at, seq) WHERE (status = 'scheduled'::text);
CREATE INDEX notice_delivery_turn_failing ON notice_delivery USING btree ((('notice/'::text || account_id)) COLLATE "C", planned_at DESC, due_at) WHERE ((status = 'scheduled'::text) AND (tries >= 2));
CREATE INDEX notice_delivery_turn_first ON notice_delivery USING btree ((('notice/'::text || account_id)) COLLATE "C", due_at DESC, seq) WHERE ((status = 'scheduled'::text) AND (kind = ANY (ARRAY['nobody_to_alert'::text, 'nobody_reached'::text, 'exhausted'::text])) AND (tries = 0));
CREATE INDEX notice_delivery_waiting ON notice_delivery USING btree (account_id, kind, COALESCE(member_id, contact_id), channel, seq) WHERE (status = ANY (ARRAY['scheduled'::text, 'sending'::text]));
GRANT DELETE, INSERT, SELECT, UPDATE ON notice_delivery TO product;

CREATE TABLE policy (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  key text NOT NULL,
  name text NOT NULL,
  steps jsonb NOT NULL,
  repeat integer DEFAULT 0 NOT NULL,
  repeat_delay_s integer DEFAULT 300 NOT NULL,
  ask_again_after_s integer DEFAULT 0 NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  CONSTRAINT policy_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT policy_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT policy_ask_again_after_s_check CHECK (((ask_again_after_s = 0) OR ((ask_again_after_s >= 300) AND (ask_again_after_s <= 86400)))),
  CONSTRAINT policy_repeat_check CHECK (((repeat >= 0) AND (repeat <= 5))),
  CONSTRAINT policy_repeat_delay_s_check CHECK (((repeat_delay_s >= 60) AND (repeat_delay_s <= 86400)))
);
CREATE UNIQUE INDEX policy_key ON policy USING btree (account_id, key);
CREATE INDEX policy_seq ON policy USING btree (account_id, seq);
GRANT DELETE, INSERT, SELECT, UPDATE ON policy TO product;

CREATE TABLE proof (
  account_id text NOT NULL,
  id bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  kind text NOT NULL,
  occasion text NOT NULL,
  incident_id text NOT NULL,
  contact_id text NOT NULL,
  contact_name text NOT NULL,
  channel text NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  digest text NOT NULL,
  CONSTRAINT proof_account_id_incident_id_contact_id_channel_kind_key UNIQUE (account_id, incident_id, contact_id, channel, kind),
  CONSTRAINT proof_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT proof_kind_check CHECK ((kind = ANY (ARRAY['answered'::text, 'unanswered'::text, 'rang_aloud'::text, 'rang_silent'::text]))),
  CONSTRAINT proof_occasion_check CHECK ((occasion = ANY (ARRAY['alarm'::text, 'drill'::text])))
);
CREATE INDEX proof_at ON proof USING btree (account_id, at);
CREATE INDEX proof_of_contact ON proof USING btree (account_id, contact_id, asked_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON proof TO product;

CREATE TABLE queued_action (
  account_id text NOT NULL,
  source_seq bigint NOT NULL,
  id bigint NOT NULL,
  due_at timestamp with time zone NOT NULL,
  failing_since timestamp with time zone,
  tries integer DEFAULT 0 NOT NULL,
  verb text NOT NULL,
  mode text,
  environment text NOT NULL,
  window_s integer DEFAULT 0 NOT NULL,
  only_when_armed boolean DEFAULT false NOT NULL,
  trace_id uuid NOT NULL,
  parent_trace_id uuid,
  key_seq bigint,
  silent_since timestamp with time zone,
  incident_id text,
  actor text,
  via text,
  contact_id text,
  detail text,
  accepted_at timestamp with time zone NOT NULL,
  confirmed_at timestamp with time zone,
  CONSTRAINT queued_action_pkey PRIMARY KEY (source_seq, id)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000);
CREATE INDEX queued_action_due ON queued_action USING btree (account_id, due_at);
CREATE INDEX queued_action_people ON queued_action USING btree (source_seq, id) WHERE ((actor IS NOT NULL) AND (verb = ANY (ARRAY['acknowledge'::text, 'close'::text, 'next_step'::text, 'note'::text, 'hand_over'::text, 'decline'::text, 'call_off'::text])));
GRANT DELETE, INSERT, SELECT, UPDATE ON queued_action TO product;

CREATE TABLE rotation (
  what text NOT NULL,
  key_id text NOT NULL,
  moved bigint DEFAULT 0 NOT NULL,
  done_at timestamp with time zone,
  CONSTRAINT rotation_pkey PRIMARY KEY (what),
  CONSTRAINT rotation_what_check CHECK ((what = ANY (ARRAY['DATA_KEY'::text, 'KEY_PEPPER'::text])))
);
GRANT DELETE, INSERT, SELECT, UPDATE ON rotation TO product;

CREATE TABLE secret_proof (
  name text NOT NULL,
  proof text NOT NULL,
  CONSTRAINT secret_proof_pkey PRIMARY KEY (name),
  CONSTRAINT secret_proof_name_check CHECK ((name = ANY (ARRAY['KEY_PEPPER'::text, 'DATA_KEY'::text])))
);
GRANT INSERT, SELECT, UPDATE ON secret_proof TO product;

CREATE TABLE sign_in_asker (
  person bytea NOT NULL,
  asker bytea NOT NULL,
  digest bytea,
  code_expires_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  guesses integer DEFAULT 0 NOT NULL,
  sent timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
  signed_in_at timestamp with time zone,
  expires_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  CONSTRAINT sign_in_asker_pkey PRIMARY KEY (person, asker)
);
CREATE INDEX sign_in_asker_expires ON sign_in_asker USING btree (expires_at);
GRANT DELETE, INSERT, SELECT, UPDATE ON sign_in_asker TO product;

CREATE TABLE sign_in_link (
  digest bytea NOT NULL,
  token_digest bytea,
  account_id text,
  member_id text,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_link_pkey PRIMARY KEY (digest),
  CONSTRAINT sign_in_link_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT sign_in_link_check CHECK (((token_digest IS NULL) = (member_id IS NOT NULL)))
);
CREATE INDEX sign_in_link_expires ON sign_in_link USING btree (expires_at);
CREATE INDEX sign_in_link_member ON sign_in_link USING btree (account_id, member_id) WHERE (member_id IS NOT NULL);
GRANT DELETE, INSERT, SELECT, UPDATE ON sign_in_link TO product;

CREATE TABLE source (
  account_id text NOT NULL,
  id text NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  location_id text NOT NULL,
  name text NOT NULL,
  test boolean DEFAULT true NOT NULL,
  test_until timestamp with time zone,
  test_told_for timestamp with time zone,
  disabled boolean DEFAULT false NOT NULL,
  deactivated boolean DEFAULT false NOT NULL,
  only_when_armed boolean DEFAULT false NOT NULL,
  clear_on_disarm boolean DEFAULT false NOT NULL,
  response_kind text,
  response_text text DEFAULT ''::text NOT NULL,
  policy_id text,
  deleted_at timestamp with time zone,
  version integer DEFAULT 1 NOT NULL,
  CONSTRAINT source_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT source_account_id_location_id_fkey FOREIGN KEY (account_id, location_id) REFERENCES location(account_id, id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT source_account_id_policy_id_fkey FOREIGN KEY (account_id, policy_id) REFERENCES policy(account_id, id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT source_deleted_check CHECK (((deleted_at IS NULL) OR disabled)),
  CONSTRAINT source_kind_check CHECK ((kind = ANY (ARRAY['alarm'::text, 'panic_button'::text]))),
  CONSTRAINT source_policy_check CHECK (((kind = 'panic_button'::text) OR (policy_id IS NULL))),
  CONSTRAINT source_response_check CHECK (((kind = 'panic_button'::text) = (response_kind IS NOT NULL))),
  CONSTRAINT source_response_kind_check CHECK ((response_kind = ANY (ARRAY['medical'::text, 'fire'::text, 'intruder'::text, 'duress'::text, 'other'::text])))
);
CREATE UNIQUE INDEX source_key ON source USING btree (account_id, kind, key) WHERE (deleted_at IS NULL);
CREATE INDEX source_location ON source USING btree (account_id, location_id);
CREATE UNIQUE INDEX source_number ON source USING btree (seq);
CREATE INDEX source_policy ON source USING btree (account_id, policy_id) WHERE (policy_id IS NOT NULL);
CREATE INDEX source_seq ON source USING btree (account_id, kind, seq) WHERE (deleted_at IS NULL);
CREATE INDEX source_test_until ON source USING btree (test_until) WHERE ((test_until IS NOT NULL) AND (deleted_at IS NULL));
CREATE TRIGGER source_version_delete AFTER DELETE ON source REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_source_delete();
CREATE TRIGGER source_version_insert AFTER INSERT ON source REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_source_insert();
CREATE TRIGGER source_version_update AFTER UPDATE ON source REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tocsin_source_update();
GRANT DELETE, INSERT, SELECT, UPDATE ON source TO product;

CREATE TABLE source_spend (
  account_id text NOT NULL,
  source_id text NOT NULL,
  day date NOT NULL,
  cents integer NOT NULL,
  CONSTRAINT source_spend_pkey PRIMARY KEY (account_id, day, source_id),
  CONSTRAINT source_spend_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX source_spend_day ON source_spend USING btree (day);
GRANT DELETE, INSERT, SELECT, UPDATE ON source_spend TO product;

CREATE TABLE source_state (
  account_id text NOT NULL,
  source_id text NOT NULL,
  version bigint DEFAULT 0 NOT NULL,
  armed_mode text,
  pending_id bigint,
  pending_due_at timestamp with time zone,
  pending_mode text,
  pending_environment text,
  pending_trace_id uuid,
  pending_count integer,
  pending_last_at timestamp with time zone,
  pending_tripped_keys jsonb,
  pending_silent_since timestamp with time zone,
  CONSTRAINT source_state_pkey PRIMARY KEY (account_id, source_id, version),
  CONSTRAINT source_state_account_id_source_id_fkey FOREIGN KEY (account_id, source_id) REFERENCES source(account_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT source_state_armed_mode_check CHECK ((armed_mode = ANY (ARRAY['home'::text, 'away'::text, 'night'::text, 'vacation'::text])))
) WITH (fillfactor=70);
CREATE INDEX source_state_due ON source_state USING btree (pending_due_at) WHERE (pending_due_at IS NOT NULL);
CREATE INDEX source_state_newest ON source_state USING btree (((account_id || source_id)), version);
CREATE INDEX source_state_windows ON source_state USING btree (account_id, pending_due_at) WHERE (pending_due_at IS NOT NULL);
GRANT DELETE, INSERT, SELECT, UPDATE ON source_state TO product;

CREATE TABLE source_told (
  account_id text NOT NULL,
  day date NOT NULL,
  source_id text NOT NULL,
  contact_id text NOT NULL,
  channel text NOT NULL,
  CONSTRAINT source_told_pkey PRIMARY KEY (account_id, day, source_id, contact_id, channel),
  CONSTRAINT source_told_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX source_told_day ON source_told USING btree (day);
GRANT DELETE, INSERT, SELECT, UPDATE ON source_told TO product;

CREATE TABLE spend (
  account_id text NOT NULL,
  day date NOT NULL,
  text_parts integer DEFAULT 0 NOT NULL,
  calls integer DEFAULT 0 NOT NULL,
  cents integer DEFAULT 0 NOT NULL,
  CONSTRAINT spend_pkey PRIMARY KEY (account_id, day),
  CONSTRAINT spend_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX spend_day ON spend USING btree (day);
GRANT DELETE, INSERT, SELECT, UPDATE ON spend TO product;

CREATE TABLE takeover (
  timeline integer NOT NULL,
  at timestamp with time zone,
  known_until timestamp with time zone,
  stored_again integer DEFAULT 0 NOT NULL,
  not_stored integer DEFAULT 0 NOT NULL,
  CONSTRAINT takeover_pkey PRIMARY KEY (timeline)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON takeover TO product;

CREATE TABLE unshown (
  id text NOT NULL,
  sealed text NOT NULL,
  CONSTRAINT unshown_pkey PRIMARY KEY (id)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON unshown TO product;

CREATE TABLE unverified_sent (
  day date NOT NULL,
  address_digest bytea NOT NULL,
  accounts text[] NOT NULL,
  CONSTRAINT unverified_sent_pkey PRIMARY KEY (day, address_digest)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON unverified_sent TO product;

CREATE TABLE verification (
  account_id text NOT NULL,
  contact_id text NOT NULL,
  channel text NOT NULL,
  slot smallint DEFAULT 0 NOT NULL,
  digest bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  guesses integer DEFAULT 0 NOT NULL,
  CONSTRAINT verification_pkey PRIMARY KEY (account_id, contact_id, channel),
  CONSTRAINT verification_account_id_contact_id_channel_slot_fkey FOREIGN KEY (account_id, contact_id, channel, slot) REFERENCES contact_channel(account_id, contact_id, channel, slot) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
GRANT DELETE, INSERT, SELECT, UPDATE ON verification TO product;

CREATE TABLE verification_sent (
  account_id text NOT NULL,
  address_digest bytea NOT NULL,
  last_at timestamp with time zone NOT NULL,
  sent timestamp with time zone[] NOT NULL,
  CONSTRAINT verification_sent_pkey PRIMARY KEY (account_id, address_digest),
  CONSTRAINT verification_sent_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
GRANT DELETE, INSERT, SELECT, UPDATE ON verification_sent TO product;

CREATE TABLE watch (
  id bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone,
  faults text[] DEFAULT '{}'::text[] NOT NULL,
  beat_ms double precision,
  dry_life_ms double precision,
  CONSTRAINT watch_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000);
GRANT DELETE, INSERT, SELECT, UPDATE ON watch TO product;

CREATE TABLE web_push_device (
  account_id text NOT NULL,
  id text NOT NULL,
  contact_id text NOT NULL,
  channel text DEFAULT 'push'::text NOT NULL,
  slot smallint DEFAULT 0 NOT NULL,
  name text NOT NULL,
  subscription text NOT NULL,
  endpoint_digest bytea NOT NULL,
  created_at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  last_sent_at timestamp with time zone,
  last_fault text,
  CONSTRAINT web_push_device_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT web_push_device_account_id_contact_id_channel_slot_fkey FOREIGN KEY (account_id, contact_id, channel, slot) REFERENCES contact_channel(account_id, contact_id, channel, slot) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT web_push_device_channel_check CHECK ((channel = 'push'::text))
);
CREATE UNIQUE INDEX web_push_device_endpoint ON web_push_device USING btree (account_id, contact_id, endpoint_digest);
GRANT DELETE, INSERT, SELECT, UPDATE ON web_push_device TO product;

CREATE TABLE web_push_key (
  id text DEFAULT 'vapid'::text NOT NULL,
  sealed text NOT NULL,
  CONSTRAINT web_push_key_pkey PRIMARY KEY (id),
  CONSTRAINT web_push_key_id_check CHECK ((id = 'vapid'::text))
);
GRANT DELETE, INSERT, SELECT, UPDATE ON web_push_key TO product;

CREATE TABLE window_end (
  pending_id bigint NOT NULL,
  account_seq bigint NOT NULL,
  incident_seq bigint,
  trace_id uuid,
  at timestamp with time zone DEFAULT tocsin_now() NOT NULL,
  CONSTRAINT window_end_pkey PRIMARY KEY (pending_id)
);
CREATE INDEX window_end_incident ON window_end USING btree (incident_seq);
GRANT DELETE, INSERT, SELECT, UPDATE ON window_end TO product;

CREATE VIEW call_log AS
 SELECT a.id AS account_id,
    c.id,
    c.trace_id,
    c.at,
    k.id AS key_id,
    k.label AS key_label,
    c.actor,
    c.verb,
    COALESCE(s.id, c.asked_id, ''::text) AS source_id,
    c.mode,
    c.environment,
        CASE
            WHEN (w.pending_id IS NULL) THEN c.outcome
            WHEN (w.incident_seq IS NULL) THEN 'cancelled'::text
            WHEN (w.trace_id = c.trace_id) THEN 'opened'::text
            ELSE 'folded'::text
        END AS outcome,
    c.applied_at,
    i.id AS incident_id,
    c.pending_id,
    c.account_seq,
    c.source_seq,
    c.key_seq,
    i.seq AS incident_seq,
    s.name AS source_name,
    s.kind AS source_kind,
    i.environment AS incident_environment,
    i.outcome AS incident_outcome,
    c.times,
    c.confirmed_at,
    c.silent_since
   FROM (((((logged_call c
     JOIN account a ON ((a.seq = c.account_seq)))
     LEFT JOIN window_end w ON (((w.pending_id = c.pending_id) AND (c.verb = 'trigger'::text))))
     LEFT JOIN incident i ON ((i.seq = COALESCE(w.incident_seq, c.incident_seq))))
     LEFT JOIN source s ON ((s.seq = c.source_seq)))
     LEFT JOIN api_key k ON ((k.seq = c.key_seq)));
GRANT SELECT ON call_log TO product;

CREATE VIEW waiting_group AS
 SELECT id,
    at,
    calls
   FROM journal
  WHERE (id > ( SELECT applied_to
           FROM journal_cursor
          ORDER BY id DESC
         LIMIT 1));
GRANT SELECT ON waiting_group TO product;

CREATE SEQUENCE journal_number AS bigint;
GRANT SELECT, USAGE ON journal_number TO product;

CREATE SEQUENCE migration_id_seq AS integer;
GRANT SELECT, USAGE ON migration_id_seq TO product;

CREATE SEQUENCE source_state_version AS bigint;
GRANT SELECT, USAGE ON source_state_version TO product;

CREATE OR REPLACE FUNCTION tocsin_accept_group(accounts text[], versions uuid[], owners integer[], untils timestamp with time zone[], sources bigint[], assumed text[], known bigint[], leads text[], calls json, known_run timestamp with time zone, OUT number bigint, OUT accepted_at timestamp with time zone, OUT stale integer[], OUT run timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
   DECLARE
     applied record;
     changed int[];
     last bigint;
   BEGIN
     PERFORM pg_advisory_xact_lock(7206811045);
     SELECT c.applied_to, c.at INTO applied FROM journal_cursor c ORDER BY c.id DESC LIMIT 1;
     accepted_at := greatest(tocsin_now(), applied.at,
       (SELECT j.at FROM journal j WHERE j.id > applied.applied_to ORDER BY j.id DESC LIMIT 1));
     changed := ARRAY(
       SELECT a.place FROM unnest(accounts, versions) WITH ORDINALITY AS a (account, version, place)
       LEFT JOIN account_version v ON v.account_id = a.account
       WHERE v.version IS DISTINCT FROM a.version);
     run := pg_postmaster_start_time();
     IF known_run = run THEN SELECT last_value INTO last FROM journal_number; END IF;
     stale := ARRAY(
       SELECT u.place FROM unnest(owners, untils) WITH ORDINALITY AS u (owner, until, place)
       WHERE u.owner = ANY (changed) OR u.until <= accepted_at);
     IF last IS NULL OR last <> ANY (known) THEN
       stale := stale || ARRAY(
         SELECT u.place::int FROM unnest(sources, assumed, known) WITH ORDINALITY AS u (source, armed, known, place)
         WHERE u.known IS DISTINCT FROM last AND u.place <> ALL (stale) AND u.armed <> coalesce(
           (SELECT g.armed_mode FROM gate g WHERE g.source_seq = u.source ORDER BY g.id DESC LIMIT 1), 'disarmed'));
     END IF;
     IF cardinality(stale) = cardinality(sources) THEN RETURN; END IF;
     IF cardinality(stale) > 0 THEN
       calls := (SELECT json_agg(u.unit ORDER BY u.place) FROM json_array_elements(calls) WITH ORDINALITY AS u (unit, place)
         WHERE u.place <> ALL (stale));
     END IF;
     number := nextval('journal_number');
     INSERT INTO journal (id, at, calls) VALUES (number, accepted_at, calls);
     IF array_remove(leads, NULL) = '{}' THEN RETURN; END IF;
     WITH led AS (
       SELECT u.source, u.armed FROM unnest(sources, leads) WITH ORDINALITY AS u (source, armed, place)
       WHERE u.armed IS NOT NULL AND u.place <> ALL (stale)
     ), gone AS (
       DELETE FROM gate g USING (
         SELECT l.source, (SELECT o.id FROM gate o WHERE o.source_seq = l.source ORDER BY o.id DESC LIMIT 1) AS id
         FROM led l
       ) o WHERE g.source_seq = o.source AND g.id = o.id
     )
     INSERT INTO gate (source_seq, id, armed_mode) SELECT source, number, nullif(armed, 'disarmed') FROM led;
   END $function$;

CREATE OR REPLACE FUNCTION tocsin_account_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT n.id FROM new_rows n JOIN old_rows o USING (id)
    WHERE (n.plan, n.still_happening_s) IS DISTINCT FROM (o.plan, o.still_happening_s)); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_api_key_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM old_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_api_key_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM new_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_api_key_secret_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM old_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_api_key_secret_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM new_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_api_key_secret_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM new_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_api_key_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT n.account_id FROM new_rows n JOIN old_rows o USING (account_id, id)
    WHERE (n.alarm_id, n.expires_at, n.revoked_at) IS DISTINCT FROM (o.alarm_id, o.expires_at, o.revoked_at)); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_begin_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   BEGIN INSERT INTO account_version (account_id) VALUES (NEW.id); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_count_gap(gaps integer[], gap_s double precision)
 RETURNS integer[]
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
   DECLARE
     counted int[] := coalesce(gaps, array_fill(0, ARRAY[22]));
     place int := least(22, 1 + (SELECT count(*) FROM unnest(ARRAY[60, 90, 130, 190, 260, 330, 460, 640, 930, 1300, 1860, 2700, 3660, 5400, 7300, 11000, 14500, 22000, 43500, 86700, 173000, 604800]) AS e (ends) WHERE e.ends < gap_s));
   BEGIN
     counted[place] := counted[place] + 1;
     IF (SELECT sum(c.times) FROM unnest(counted) AS c (times)) > 5000 THEN
       counted := ARRAY(SELECT c.times / 2 FROM unnest(counted) WITH ORDINALITY AS c (times, nth) ORDER BY c.nth);
     END IF;
     RETURN counted;
   END $function$;

CREATE OR REPLACE FUNCTION tocsin_delete_account(account_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$ 
   BEGIN
     IF EXISTS (SELECT FROM location t WHERE t.account_id = $1 AND t.deleted_at IS NULL)
       OR EXISTS (SELECT FROM source t WHERE t.account_id = $1 AND t.deleted_at IS NULL)
       OR EXISTS (SELECT FROM api_key t WHERE t.account_id = $1 AND t.revoked_at IS NULL
         AND (t.expires_at IS NULL OR t.expires_at > (SELECT tocsin_now()))) THEN
       RAISE EXCEPTION 'The account still holds something.' USING ERRCODE = 'foreign_key_violation';
     END IF;
     DELETE FROM account WHERE id = $1;
   END $function$;
REVOKE ALL ON FUNCTION tocsin_delete_account FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tocsin_delete_account TO product;

CREATE OR REPLACE FUNCTION tocsin_erase_audit(deleted_id text, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$ 
   DECLARE removed int;
   BEGIN
     IF EXISTS (SELECT FROM account WHERE id = deleted_id) THEN
       RAISE EXCEPTION 'The account is still there.' USING ERRCODE = 'insufficient_privilege';
     END IF;
     DELETE FROM audit WHERE account_id = deleted_id
       AND id = ANY (ARRAY(SELECT id FROM audit WHERE account_id = deleted_id ORDER BY id LIMIT most));
     GET DIAGNOSTICS removed = ROW_COUNT;
     RETURN removed;
   END $function$;
REVOKE ALL ON FUNCTION tocsin_erase_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tocsin_erase_audit TO product;

CREATE OR REPLACE FUNCTION tocsin_keep_deleted_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   BEGIN INSERT INTO deleted_account (account_id, seq) VALUES (OLD.id, OLD.seq); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_location_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM old_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_location_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM new_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_location_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM new_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_mode_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM old_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_mode_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM new_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_mode_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM new_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_now()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
   DECLARE
     wall timestamptz := tocsin_wall();
     last record;
   BEGIN
     SELECT wall_at, ahead_ms * interval '1 millisecond' AS ahead INTO last FROM clock ORDER BY id DESC LIMIT 1;
     IF NOT FOUND THEN RETURN wall; END IF;
     IF wall BETWEEN last.wall_at AND last.wall_at + 2000 * interval '1 millisecond' THEN
       RETURN wall + last.ahead;
     END IF;
     RETURN last.wall_at + last.ahead;
   END $function$;

CREATE OR REPLACE FUNCTION tocsin_refresh_statistics()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$ BEGIN ANALYZE location, contact, contact_channel, policy, duty, source, source_state, mode; END $function$;
REVOKE ALL ON FUNCTION tocsin_refresh_statistics FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tocsin_refresh_statistics TO product;

CREATE OR REPLACE FUNCTION tocsin_remove_old_audit(accounts text[], afters bigint[], days integer, most integer)
 RETURNS TABLE(key text, after text, rows integer)
 LANGUAGE plpgsql
 SECURITY DEFINER ROWS 100
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$ 
#variable_conflict use_column
BEGIN
  IF days IS NULL OR days < 1 THEN
    RAISE EXCEPTION 'The audit is kept for a day at least.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY
  WITH RECURSIVE walk AS (
    SELECT d.key, d.after AS number, 'begins' AS place FROM unnest(accounts, afters) AS d (key, after)
    UNION ALL
    SELECT w.key, n.number, 'row' FROM walk w CROSS JOIN LATERAL (
      SELECT t.id AS number, t.at FROM audit t WHERE t.account_id = w.key AND t.id > w.number ORDER BY t.id LIMIT 1
    ) n
    WHERE n.at < (SELECT tocsin_now()) - make_interval(days => days)
  ),
  old AS MATERIALIZED (SELECT w.key, w.number FROM walk w WHERE w.place = 'row' LIMIT most),
  gone AS (
    DELETE FROM audit t USING old o WHERE t.account_id = o.key AND t.id = o.number RETURNING t.account_id, t.id
  )
  SELECT g.account_id, max(g.id)::text, count(*)::int FROM gone g GROUP BY g.account_id;
END $function$;
REVOKE ALL ON FUNCTION tocsin_remove_old_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tocsin_remove_old_audit TO product;

CREATE OR REPLACE FUNCTION tocsin_reseal_audit(changed json)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$ 
   DECLARE moved int;
   BEGIN
     UPDATE audit a SET before = r.new_before, after = r.new_after
     FROM json_to_recordset(changed) AS r (account_id text, id bigint, before jsonb, after jsonb, new_before jsonb, new_after jsonb)
     WHERE a.account_id = r.account_id AND a.id = r.id
       AND a.before IS NOT DISTINCT FROM r.before AND a.after IS NOT DISTINCT FROM r.after
       AND regexp_replace(a.before::text, 'v1\.[A-Za-z0-9_-]{8}\.[A-Za-z0-9_.-]*', 'v1', 'g') IS NOT DISTINCT FROM regexp_replace(r.new_before::text, 'v1\.[A-Za-z0-9_-]{8}\.[A-Za-z0-9_.-]*', 'v1', 'g')
       AND regexp_replace(a.after::text, 'v1\.[A-Za-z0-9_-]{8}\.[A-Za-z0-9_.-]*', 'v1', 'g') IS NOT DISTINCT FROM regexp_replace(r.new_after::text, 'v1\.[A-Za-z0-9_-]{8}\.[A-Za-z0-9_.-]*', 'v1', 'g');
     GET DIAGNOSTICS moved = ROW_COUNT;
     RETURN moved;
   END $function$;
REVOKE ALL ON FUNCTION tocsin_reseal_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tocsin_reseal_audit TO product;

CREATE OR REPLACE FUNCTION tocsin_source_delete()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM old_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_source_insert()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM new_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_source_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'on'
AS $function$
       BEGIN UPDATE account_version SET version = gen_random_uuid() WHERE account_id IN (SELECT account_id FROM new_rows); RETURN NULL; END $function$;

CREATE OR REPLACE FUNCTION tocsin_supervise_anew()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
   END $function$;

CREATE OR REPLACE FUNCTION tocsin_wall()
 RETURNS timestamp with time zone
 LANGUAGE sql
AS $function$ SELECT date_trunc('milliseconds', clock_timestamp()) $function$;
