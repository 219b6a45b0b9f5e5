import {anyAllConditions} from './any-all-conditions.js';
import {attestors} from './attestor.js';
import {registryCredentials} from './context-entry.js';
import {failureAction} from './failure-action.js';
import {flag, list, named, type SchemaNode, text, textMap, texts, word} from './schema.js';
import {deny} from './validate.js';

const attestation: SchemaNode = named('Attestation', 'A signed statement about the image.', {
  name: text('Name under which conditions find the statement.'),
  type: text('Type of the statement.'),
  predicateType: text('Older name of type.'),
  attestors,
  conditions: list('What the statement must say; every block must hold.', anyAllConditions),
});

export const verifyImages: SchemaNode = list(
  'Checks signatures of images and pins digests.',
  named('ImageVerification', 'Which images must be signed by whom.', {
    failureAction,
    type: word('Kind of signature, Cosign when unset.', ['Cosign', 'SigstoreBundle', 'Notary']),
    imageReferences: texts('Images, with wildcards.'),
    skipImageReferences: texts('Images that are left out, with wildcards.'),
    attestors,
    attestations: list('Statements that must exist.', attestation),
    repository: text('Where the signatures are.'),
    cosignOCI11: flag('Look for OCI 1.1 referrers.'),
    mutateDigest: flag('Replace tags by digests; true when unset.'),
    verifyDigest: flag('Ask for a digest; true when unset.'),
    required: flag('Ask for a verified image; true when unset.'),
    useCache: flag('Reuse earlier results; true when unset.'),
    validate: named('ImageVerificationCheck', 'A last look at all statements.', {
      message: text('Said on failure.'),
      deny,
    }),
    imageRegistryCredentials: registryCredentials,
    image: text('Older form of imageReferences.'),
    key: text('Older form of an attestor with a key.'),
    roots: text('Older form of the root certificates.'),
    subject: text('Older form of the identity.'),
    issuer: text('Older form of the issuer.'),
    annotations: textMap('Older form of the annotations.'),
    additionalExtensions: textMap('Older form of the certificate extensions.'),
  }),
);

/** By kind, where images stand in objects that are no Pods. */
export const imageExtractors: SchemaNode = {
  description: 'By kind: where images stand in objects of other kinds.',
  type: 'object',
  values: {
    type: 'array',
    items: named('ImageExtractor', 'Place of images.', {
      path: text('Path to the object that holds the image, /*/ for all elements.'),
      value: text('Key of the image.'),
      name: text('Name under which expressions find it.'),
      key: text('Key that names the image.'),
      jmesPath: text('JMESPath over the found value.'),
    }),
  },
};
