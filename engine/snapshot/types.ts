/**
 * What reconcile handlers and file watchers publish and requests read. `current` never waits; a request holds one
 * snapshot from start to end.
 */
export interface SnapshotSource<S> {
  readonly current: S;
}
