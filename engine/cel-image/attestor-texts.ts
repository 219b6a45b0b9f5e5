import type {ImageAttestor, TextOrExpression} from './model.js';

/** A CEL text of an attestor, and where it stands below it. */
export interface AttestorText {
  readonly place: string;
  readonly expression: string;
}

/** Every CEL text of an attestor. */
export function attestorTexts(attestor: ImageAttestor): readonly AttestorText[] {
  if (attestor.type === 'notary') {
    return [...given(attestor.certificates, 'notary.certs'), ...given(attestor.tsaCertificates, 'notary.tsaCerts')];
  }
  const {by, trustedRoot} = attestor;
  const root = given(trustedRoot, 'cosign.trustedRoot');
  switch (by.type) {
    case 'key':
      return [...given(by.key, 'cosign.key'), ...root];
    case 'kms':
      return root;
    case 'certificate':
      return [...given(by.certificate, 'cosign.certificate.cert'), ...given(by.chain, 'cosign.certificate.certChain'), ...root];
    case 'keyless':
      return [
        ...by.identities.flatMap(({subjectExpression: expression}, index) =>
          expression === undefined ? [] : [{place: `cosign.keyless.identities[${index}].subjectExpression`, expression}],
        ),
        ...root,
      ];
  }
}

function given(text: TextOrExpression | undefined, place: string): AttestorText[] {
  return text !== undefined && 'expression' in text ? [{place: `${place}.expression`, expression: text.expression}] : [];
}

/** The attestor with each of its CEL texts changed. */
export function mapAttestorTexts(attestor: ImageAttestor, change: (expression: string) => string): ImageAttestor {
  const changed = <T extends TextOrExpression | undefined>(text: T): T =>
    (text !== undefined && 'expression' in text ? {expression: change(text.expression)} : text) as T;
  if (attestor.type === 'notary') {
    return {...attestor, certificates: changed(attestor.certificates), tsaCertificates: changed(attestor.tsaCertificates)};
  }
  const {by} = attestor;
  const trustedRoot = changed(attestor.trustedRoot);
  switch (by.type) {
    case 'key':
      return {...attestor, trustedRoot, by: {...by, key: changed(by.key)}};
    case 'kms':
      return {...attestor, trustedRoot};
    case 'certificate':
      return {...attestor, trustedRoot, by: {...by, certificate: changed(by.certificate), chain: changed(by.chain)}};
    case 'keyless':
      return {
        ...attestor,
        trustedRoot,
        by: {
          ...by,
          identities: by.identities.map(identity => ({
            ...identity,
            subjectExpression: identity.subjectExpression === undefined ? undefined : change(identity.subjectExpression),
          })),
        },
      };
  }
}
