export {
  maxSignatureAttempts,
  notaryArtifactType,
  notaryMediaTypes,
  type NotaryTarget,
  type NotaryVerification,
  verifyNotary,
} from './verify.js';
