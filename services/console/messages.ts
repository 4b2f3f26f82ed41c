/** A text that is empty where nothing was given. */
export function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** A number that is 0 where nothing was given. */
export function numberOrAbsent(number: number): number | undefined {
  return number === 0 ? undefined : number;
}

/** A list that is empty where nothing was given. */
export function listOrAbsent<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}
