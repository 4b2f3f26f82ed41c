import type { CarriersSetUp, DescribedCarrier } from '../channels/described.ts';

/** Returns the carriers for which something was stored, as by a newer version, and which this one does not know: they can only be removed. */
export function unknownOf(parts: readonly string[], { described }: CarriersSetUp): DescribedCarrier[] {
  const unknown = new Set(parts.filter(part => !described.some(({ name }) => name === part)));
  return [...unknown].map(name => ({
    name,
    title: { en: name, de: name },
    about: { en: '', de: '' },
    settings: [],
    carries: [],
  }));
}
