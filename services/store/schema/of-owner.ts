/** A function that does one thing with the rights of the tables' owner. */
interface OfOwner {
  /** Its name with the types of its arguments. */
  signature: string;
  /** What stands between CREATE FUNCTION and its body. */
  head: string;
  body: string;
}

/**
 * What the product's role may not do itself but needs, if it does not own the tables (store/rights.ts). The function
 * finds its tables in this schema, whatever the caller's search_path says.
 */
export function ofOwner({ signature, head, body }: OfOwner): string[] {
  return [
    `CREATE FUNCTION ${head} SECURITY DEFINER AS $$ ${body} $$`,
    `REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`,
    `DO $$ BEGIN
       EXECUTE format('ALTER FUNCTION ${signature} SET search_path = pg_catalog, %I, pg_temp', current_schema());
     END $$`,
  ];
}
