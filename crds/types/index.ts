// Generated from scripts/crd by `npm run generate`; edit there.
/** The objects of our APIs as users write them; nothing is filled in or normalised. */
export type * from './common.generated.js';
export type * from './kyverno.generated.js';
export type * from './operator.generated.js';
export type * from './policies.generated.js';
export type * from './reports.generated.js';
