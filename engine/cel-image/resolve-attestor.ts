import {CelError} from '../cel/errors.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import type {Attestor, Identity, Signer, TextMatch, Transparency} from '../image/verification.js';
import {hasWildcard} from '../values/glob.js';
import type {CosignAttestor, CosignIdentity, NotaryAttestor, TextOrExpression} from './model.js';
import {pemFault, type PemKind} from './pem-fault.js';
import type {CompiledAttestor, EvaluationFrame} from './types.js';

const nothing: Transparency = {
  rekorUrl: undefined,
  rekorPublicKey: undefined,
  ignoreTlog: false,
  ctlogPublicKey: undefined,
  ignoreSct: false,
  tsaCertChain: undefined,
  trustedRoot: undefined,
  tuf: undefined,
};

/** An attestor with all of its texts final. Throws CelError for one that has none, or Suspend to wait. */
export function resolveAttestor(compiled: CompiledAttestor, frame: EvaluationFrame, secrets: string): Attestor {
  const resolver = new Resolver(compiled, frame, secrets);
  return compiled.model.type === 'notary' ? resolver.notary(compiled.model) : resolver.cosign(compiled.model);
}

class Resolver {
  readonly #compiled: CompiledAttestor;
  readonly #frame: EvaluationFrame;
  /** Namespace of Secrets that are given by name alone. */
  readonly #secrets: string;

  constructor(compiled: CompiledAttestor, frame: EvaluationFrame, secrets: string) {
    this.#compiled = compiled;
    this.#frame = frame;
    this.#secrets = secrets;
  }

  notary({certificates, tsaCertificates}: NotaryAttestor): Attestor {
    return {
      signer: {
        type: 'notary',
        certificates: this.#pem(certificates, 'notary.certs', 'certificate')!,
        tsaCertificates: this.#pem(tsaCertificates, 'notary.tsaCerts', 'certificate'),
      },
      transparency: nothing,
      annotations: {},
      repository: undefined,
      tagPrefix: undefined,
      pullSecrets: [],
    };
  }

  cosign(model: CosignAttestor): Attestor {
    const {log, tuf, trustedRoot, repository, tagPrefix, annotations, pullSecrets} = model;
    return {
      signer: this.#signer(model),
      transparency: {
        rekorUrl: log.url,
        rekorPublicKey: log.rekorPublicKey,
        ignoreTlog: log.ignoreTlog,
        ctlogPublicKey: log.ctlogPublicKey,
        ignoreSct: log.ignoreSct,
        tsaCertChain: log.tsaCertChain,
        trustedRoot: this.#text(trustedRoot, 'cosign.trustedRoot'),
        tuf,
      },
      annotations,
      repository,
      tagPrefix,
      pullSecrets: pullSecrets.map(name => ({namespace: this.#secrets, name})),
    };
  }

  #signer({by}: CosignAttestor): Signer {
    switch (by.type) {
      case 'key':
        return {type: 'key', publicKey: this.#pem(by.key, 'cosign.key', 'public key')!, hash: by.hash};
      case 'kms':
        return kmsSigner(by.uri, by.hash);
      case 'keyless':
        return {
          type: 'keyless',
          identities: by.identities.map((identity, index) => this.#identity(identity, index)),
          roots: by.roots,
          additionalExtensions: by.additionalExtensions,
        };
      case 'certificate':
        return {
          type: 'certificate',
          certificate: this.#pem(by.certificate, 'cosign.certificate.cert', 'certificate'),
          chain: this.#pem(by.chain, 'cosign.certificate.certChain', 'certificate'),
        };
    }
  }

  #identity(identity: CosignIdentity, index: number): Identity {
    const place = `cosign.keyless.identities[${index}].subjectExpression`;
    const {issuer, issuerRegExp, subject, subjectRegExp, subjectExpression} = identity;
    const pattern = subjectExpression === undefined ? subjectRegExp : this.#evaluate(place);
    if (subjectExpression !== undefined) this.#checkPattern(pattern!, place);
    return {issuer: textMatch(issuer, issuerRegExp), subject: textMatch(subject, pattern)};
  }

  #checkPattern(pattern: string, place: string): void {
    if (pattern === '') throw this.#fault(place, 'it comes to an empty text, which is found anywhere');
    try {
      this.#frame.host.regex.compile(pattern);
    } catch (thrown) {
      if (!(thrown instanceof EvalError)) throw thrown;
      throw this.#fault(place, thrown.message);
    }
  }

  #pem(given: TextOrExpression | undefined, place: string, kind: PemKind): string | undefined {
    const pem = this.#text(given, place);
    if (pem === undefined || given === undefined || 'value' in given) return pem;
    const fault = pemFault(pem, kind);
    if (fault !== undefined) throw this.#fault(place, fault);
    return pem;
  }

  #text(given: TextOrExpression | undefined, place: string): string | undefined {
    if (given === undefined) return undefined;
    if ('value' in given) return given.value;
    const text = this.#evaluate(`${place}.expression`);
    // What is not there must never mean that nothing is asked for.
    if (text === '') throw this.#fault(place, 'it comes to an empty text');
    return text;
  }

  #evaluate(place: string): string {
    const {bindings, host} = this.#frame;
    const program = this.#compiled.programs.get(place);
    if (program === undefined) throw new Error(`${place} was not compiled`);
    try {
      const value = program.evaluate(bindings, host);
      if (typeof value === 'string') return value;
    } catch (thrown) {
      if (!(thrown instanceof EvalError) || thrown instanceof BudgetError) throw thrown;
      throw this.#fault(place, thrown.message);
    }
    throw this.#fault(place, 'it comes to no text');
  }

  #fault(place: string, message: string): CelError {
    return new CelError(`attestor ${this.#compiled.model.name}: ${place}: ${message}`);
  }
}

function kmsSigner(uri: string, hash: 'sha224' | 'sha256' | 'sha384' | 'sha512'): Signer {
  const [namespace = '', name = ''] = uri.startsWith('k8s://') ? uri.slice('k8s://'.length).split('/') : [];
  return name === '' ? {type: 'kms', uri, hash} : {type: 'secret', secret: {namespace, name}, hash};
}

/** A text with wildcards has to fit as a whole, an expression is looked for anywhere. */
function textMatch(text: string | undefined, pattern: string | undefined): TextMatch | undefined {
  if (pattern !== undefined) return {kind: 'regexp', text: pattern};
  if (text === undefined) return undefined;
  return {kind: hasWildcard(text) ? 'wildcard' : 'exact', text};
}
