/**
 * What shows that people can be reached (DECISIONS.md "Report of proofs"). Rows are only added, and each carries a digest
 * over itself and the one before (domain/proof-chain.ts). They stay until their account is erased.
 */
export const proofs = [
  `CREATE TABLE proof (
     account_id text NOT NULL,
     -- Counted from 1 in each account, without gaps.
     id bigint NOT NULL,
     at timestamptz NOT NULL,
     kind text NOT NULL CHECK (kind IN ('answered', 'unanswered', 'rang_aloud', 'rang_silent')),
     occasion text NOT NULL CHECK (occasion IN ('alarm', 'drill')),
     incident_id text NOT NULL,
     contact_id text NOT NULL,
     contact_name text NOT NULL,
     channel text NOT NULL,
     -- When the message was first tried.
     asked_at timestamptz NOT NULL,
     digest text NOT NULL,
     PRIMARY KEY (account_id, id),
     UNIQUE (account_id, incident_id, contact_id, channel, kind)
   )`,
  'CREATE INDEX proof_at ON proof (account_id, at)',
  'CREATE INDEX proof_of_contact ON proof (account_id, contact_id, asked_at)',
];
