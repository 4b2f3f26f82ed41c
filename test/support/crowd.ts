/**
 * Tells whether one of a crowd got to say what it wants within the seconds that a connection has for it: all of the crowd and
 * Tocsin share one process in a test, and on a busy machine a few come to it too late.
 */
export const isInTime = ({ status }: { status: number }): boolean => status !== 408;
