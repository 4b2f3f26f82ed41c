/** The type of a column. `time`: milliseconds since 1970 in a row, timestamptz in the table. */
type ColumnType = 'text' | 'int' | 'bigint' | 'boolean' | 'uuid' | 'jsonb' | 'time';

/** The fields of a row with the types of their columns, which have the same names in snake_case. */
export type Columns<Row> = { readonly [Field in keyof Row]-?: ColumnType };

/** Returns a time as milliseconds since 1970, as an SQL expression. */
export function ms(time: string): string {
  return `(extract(epoch FROM ${time}) * 1000)::float8`;
}

/** Returns the columns of `table` as SELECT items named after the fields of a row, each prefixed with `prefix`. */
export function fieldsOf<Row>(columns: Columns<Row>, table: string, prefix = ''): string {
  return entriesOf(columns)
    .map(([field, type]) => {
      const column = `${table}.${columnOf(field)}`;
      return `${type === 'time' ? ms(column) : column} AS "${prefix}${field}"`;
    })
    .join(', ');
}

/** Returns the names of the columns, as INSERT and SELECT list them. */
export function namesOf<Row>(columns: Columns<Row>): string {
  return entriesOf(columns)
    .map(([field]) => columnOf(field))
    .join(', ');
}

/** Returns assignments of the columns from `r`, as UPDATE lists them. */
export function setOf<Row>(columns: Columns<Row>): string {
  return entriesOf(columns)
    .map(([field]) => `${columnOf(field)} = r.${columnOf(field)}`)
    .join(', ');
}

/** Returns a table expression `name` with these columns, made of the JSON rows in $1. */
export function rowsOf<Row>(columns: Columns<Row>, name = 'r'): string {
  const entries = entriesOf(columns);
  const read = entries.map(([field, type]) => `"${field}" ${type === 'time' ? 'float8' : type}`);
  const given = entries.map(([field, type]) => {
    const value = type === 'time' ? `to_timestamp(j."${field}" / 1000)` : `j."${field}"`;
    return `${value} AS ${columnOf(field)}`;
  });
  return `(SELECT ${given.join(', ')} FROM json_to_recordset($1::json) AS j (${read.join(', ')})) ${name}`;
}

/**
 * Returns a function that moves the fields of a row that start with `name.` (fieldsOf) into an object of that name. The
 * object is null if its id is null, as after an outer join without a match.
 */
export function nested(name: string, fields: readonly string[]) {
  const innerOf = new Map(fields.map(field => [`${name}.${field}`, field]));
  return (row: Record<string, unknown>): Record<string, unknown> => {
    const outer: Record<string, unknown> = {};
    const inner: Record<string, unknown> = {};
    for (const field of Object.keys(row)) {
      const within = innerOf.get(field);
      if (within === undefined) outer[field] = row[field];
      else inner[within] = row[field];
    }
    outer[name] = inner.id === null ? null : inner;
    return outer;
  };
}

function entriesOf<Row>(columns: Columns<Row>): [string, ColumnType][] {
  return Object.entries<ColumnType>(columns);
}

function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}
