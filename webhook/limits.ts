import type {AdmissionLimits} from './types.js';

/**
 * The API server stores objects of up to 1.5 MiB; a review carries two of them, and escaped text takes more room than
 * it has in the store.
 */
export const defaultAdmissionLimits: AdmissionLimits = {
  maxBodyBytes: 8 * 1024 * 1024,
  maxInFlight: 512,
  maxInFlightBytes: 128 * 1024 * 1024,
  defaultTimeoutMs: 10_000,
  answerReserveMs: 500,
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 120_000,
  auditCapacity: 1000,
  auditBytes: 64 * 1024 * 1024,
  auditWorkers: 8,
  auditTimeoutMs: 30_000,
};
