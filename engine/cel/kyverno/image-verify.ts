import type {Attestor} from '../../image/verification.js';
import {CelError} from '../errors.js';
import type {CelHost, Library} from '../library/library.js';
import {dynType, intType, listOf, mapOf, stringType, type Type} from '../types/type.js';
import {OpaqueValue, type Value} from '../values/value.js';

/** `attestors.<name>`: what its expressions come to is only asked when a signature has to be judged. */
export class AttestorValue extends OpaqueValue {
  readonly typeName = 'kyverno.attestor';
  #attestor: Attestor | undefined;
  #identity: string | undefined;

  constructor(
    readonly name: string,
    readonly isNotary: boolean,
    readonly resolve: () => Attestor,
  ) {
    super();
  }

  /** Throws CelError, or Suspend to wait. */
  get attestor(): Attestor {
    this.#attestor ??= this.resolve();
    return this.#attestor;
  }

  /** Equal for attestors that ask for the same, whatever they are called. */
  get identity(): string {
    this.#identity ??= JSON.stringify(this.attestor);
    return this.#identity;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof AttestorValue && other.name === this.name;
  }

  override text(): string {
    return this.name;
  }
}

/** What the functions ask, of the images of one evaluation. Throws CelError, or Suspend to wait. */
export interface ImageQuestions {
  /** How many of the attestors signed; 0 for an image that the policy does not mean. */
  verifySignatures(image: string, attestors: readonly AttestorValue[]): number;
  /** How many signed an attestation of the policy, given by its name. */
  verifyAttestations(image: string, attestation: string, attestors: readonly AttestorValue[]): number;
  payload(image: string, attestation: string): Value;
  /** `failure` says what went wrong when it does. */
  imageData(image: string, failure: string): Value;
}

/** What the expressions of policies on images see besides. */
export const imageVariables: Readonly<Record<string, Type>> = {
  images: mapOf(stringType, listOf(stringType)),
  attestors: mapOf(stringType, dynType),
  attestations: mapOf(stringType, stringType),
};

/** Functions that ask registries for signatures, attestations and descriptors. */
export const imageVerifyLibrary: Library = {
  name: 'kyverno.imageVerify',
  functions: [
    {
      name: 'verifyImageSignatures',
      overloads: [
        {
          id: 'verify_image_signatures_string_list',
          receiver: false,
          params: [stringType, listOf(dynType)],
          result: intType,
          host: true,
          call: (host: CelHost, image: string, attestors: readonly Value[]): Value =>
            runOf(host).verifySignatures(image, attestorsOf(attestors)),
        },
      ],
    },
    {
      name: 'verifyAttestationSignatures',
      overloads: [
        {
          id: 'verify_attestation_signatures_string_string_list',
          receiver: false,
          params: [stringType, stringType, listOf(dynType)],
          result: intType,
          host: true,
          call: (host: CelHost, image: string, attestation: string, attestors: readonly Value[]): Value =>
            runOf(host).verifyAttestations(image, attestation, attestorsOf(attestors)),
        },
      ],
    },
    {
      name: 'extractPayload',
      overloads: [
        {
          id: 'payload_string_string',
          receiver: false,
          params: [stringType, stringType],
          result: dynType,
          host: true,
          call: (host: CelHost, image: string, attestation: string): Value => runOf(host).payload(image, attestation),
        },
      ],
    },
    {
      name: 'getImageData',
      overloads: [
        {
          id: 'get_image_data_string',
          receiver: false,
          params: [stringType],
          result: dynType,
          host: true,
          call: (host: CelHost, image: string): Value => runOf(host).imageData(image, 'failed to get imagedata'),
        },
      ],
    },
  ],
};

/** Conditions of exceptions and match conditions come before there are images to ask about. */
function runOf({imageRun}: CelHost): ImageQuestions {
  if (imageRun === undefined) throw new CelError('images are not known yet where this is asked');
  return imageRun;
}

function attestorsOf(values: readonly Value[]): readonly AttestorValue[] {
  return values.map(value => {
    if (!(value instanceof AttestorValue)) throw new CelError('expected a list of attestors, such as [attestors.name]');
    return value;
  });
}
