/** Says what a carrier answered, as it is stored: in words already, and what a server said stands behind their colon. */
export const faults = (stored: string): string => stored;
