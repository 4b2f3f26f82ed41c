/** Converts a proto text, where empty means not given. */
export function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** Converts a proto number, where 0 means not given. */
export function numberOrAbsent(number: number): number | undefined {
  return number === 0 ? undefined : number;
}

/** Converts a proto list, where empty means not given. */
export function listOrAbsent<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}
