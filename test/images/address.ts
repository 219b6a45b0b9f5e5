/** Loopback, but not the one that API servers of tests have: those are never taken for registries. */
export const address = '127.0.0.2';
