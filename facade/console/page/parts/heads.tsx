import { Choice } from '../../design/parts.tsx';
import { filter, query } from '../way/router.ts';
import { language, wordsOf } from '../words.ts';

/** How things may be put in order, by what the address says for it: by what of each, and which way that goes. */
export type Orders<T> = Readonly<Record<string, { goes: 'ascending' | 'descending'; by(of: T): string | number }>>;

function asked(): string {
  return query.value.get('order') ?? '';
}

/** Returns all of a list as the address orders it; as it is where it does not. */
export function inOrder<T>(things: readonly T[], orders: Orders<T>): readonly T[] {
  const order = Object.entries(orders).find(([name]) => name === asked())?.[1];
  if (order === undefined) return things;
  const { goes, by } = order;
  const sign = goes === 'ascending' ? 1 : -1;
  return things.toSorted((one, other) => sign * compare(by(one), by(other)));
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === 'string') return one.localeCompare(String(other), language.value);
  // Two that are endless differ by no number.
  return one - Number(other) || 0;
}

/** The name of a column, empty: it needs none, and the orders that its button goes through. */
export type Column = readonly [label: string, ...orders: string[]];

/** Names the columns of a list on a wide screen. `orders`: null where it lets nobody put it in order. `are`: `unseen` where another list above names them. */
export function Heads<T>(on: { columns: readonly Column[]; orders: Orders<T> | null; are?: 'seen' | 'unseen' }) {
  const order = asked();
  return (
    <thead class={on.are}>
      <tr>
        {on.columns.map(([label, ...orders]) => {
          if (label === '') return <td key={label} />;
          const by = orders.filter(one => on.orders?.[one]);
          const at = by.indexOf(order);
          return (
            <th key={label} scope="col" aria-sort={at < 0 ? undefined : on.orders?.[order]?.goes}>
              {by.length === 0 ? (
                label
              ) : (
                <button type="button" onClick={() => filter({ order: by[at + 1] ?? '' })}>
                  {label}
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Lets a list be put in order where its columns have no names. */
export function OrderChoice<T>({ orders }: { orders: Orders<T> }) {
  const say = wordsOf('lists');
  const by = ['', ...Object.keys(orders)];
  return (
    <div class="order">
      <Choice
        label={say.order}
        name="order"
        value={by.includes(asked()) ? asked() : ''}
        options={by.map(order => [order, say.by[order]!] as const)}
        onChoose={order => filter({ order })}
      />
    </div>
  );
}
