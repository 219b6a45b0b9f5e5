export {type CaOptions, type IssuedCertificate, issueCa, issueLeaf, type LeafOptions} from './issue.js';
export {keyAlgorithmOf, type KeyAlgorithm, parseKeyAlgorithm, readPrivateKey} from './keys.js';
export {expiresAt, keyMatches, splitBundle, validFrom, verifyChain} from './verify.js';
