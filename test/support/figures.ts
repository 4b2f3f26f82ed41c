/** Figures by series: name and labels as `/metrics` writes them. One with labels that is not counted yet is 0; throws for an unknown name. */
export type Figures = (series: string) => number;

/** Reads one figure of a process, as it is now. */
export async function figureOf(url: string, series: string): Promise<number> {
  return (await figuresOf(url))(series);
}

/** Reads all figures of a process, as they are now. */
export async function figuresOf(url: string): Promise<Figures> {
  return figuresIn(await (await fetch(`${url}/metrics`)).text());
}

/** Reads the text of `/metrics`. */
export function figuresIn(text: string): Figures {
  const said = new Map(text.split('\n').map(line => [line.slice(0, line.lastIndexOf(' ')), line.split(' ').at(-1)]));
  return series => {
    const figure = said.get(series);
    // Without labels a series is there from the start, so what is missing is misspelt.
    if (figure === undefined && !series.includes('{')) throw new Error(`/metrics has no ${series}.`);
    return Number(figure ?? 0);
  };
}
