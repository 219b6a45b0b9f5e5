import {parseJson} from '../json/parse.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../json/types.js';

/** What became of an image, as it is written down. */
export type ImageStatus = 'pass' | 'fail' | 'skip';

/** Image (its reference) → what became of it. */
export type ImageStatuses = ReadonlyMap<string, ImageStatus>;

/** For people and scripts: image → status. */
export const plainAnnotation = 'kyverno.io/verify-images';
/** What is trusted: status by policy (`namespace/name`, `/name`), rule and image. */
export const scopedAnnotation = 'kyverno.io/verify-images-scoped';

type Policies = ReadonlyMap<string, ReadonlyMap<string, ImageStatuses>>;

/** What the annotations of an object say of its images, read and written as a whole. Immutable. */
export class ImageRecord {
  static readonly empty = new ImageRecord(new Map());

  readonly #policies: Policies;

  private constructor(policies: Policies) {
    this.#policies = policies;
  }

  /** Nothing is believed of what cannot be read, or of a version that is not known. */
  static of(resource: JsonObject | undefined): ImageRecord {
    const text = ownPath(resource, 'metadata', 'annotations', scopedAnnotation);
    if (typeof text !== 'string') return ImageRecord.empty;
    let json: Json;
    try {
      json = parseJson(text);
    } catch {
      // What somebody else wrote there says nothing.
      return ImageRecord.empty;
    }
    if (ownPath(json, 'version') !== 1) return ImageRecord.empty;
    return new ImageRecord(
      levels(ownPath(json, 'policies'), rules => levels(rules, images => levels(images, statusOf))),
    );
  }

  statuses(policy: string, rule: string): ImageStatuses {
    return this.#policies.get(policy)?.get(rule) ?? new Map<string, ImageStatus>();
  }

  /** Only what policies say that `keep` selects. */
  filter(keep: (policy: string) => boolean): ImageRecord {
    return new ImageRecord(new Map([...this.#policies].filter(([policy]) => keep(policy))));
  }

  with(policy: string, rule: string, statuses: ImageStatuses): ImageRecord {
    if (statuses.size === 0) return this;
    const rules = new Map(this.#policies.get(policy)).set(rule, statuses);
    return new ImageRecord(new Map(this.#policies).set(policy, rules));
  }

  get isEmpty(): boolean {
    return this.#policies.size === 0;
  }

  /** The object with this record instead of what it has; the same reference when nothing differs. */
  writeTo(resource: JsonObject): JsonObject {
    const metadata = own(resource, 'metadata');
    const fields = isObject(metadata) ? metadata : {};
    const annotations = own(fields, 'annotations');
    const before = isObject(annotations) ? annotations : {};
    const wanted = this.isEmpty ? [undefined, undefined] : [this.#plain(), this.#scoped()];
    if (own(before, plainAnnotation) === wanted[0] && own(before, scopedAnnotation) === wanted[1]) return resource;
    const {[plainAnnotation]: _plain, [scopedAnnotation]: _scoped, ...others} = before;
    const [plain, scoped] = wanted;
    const after: JsonObject = {
      ...others,
      ...(plain !== undefined && {[plainAnnotation]: plain}),
      ...(scoped !== undefined && {[scopedAnnotation]: scoped}),
    };
    return {...resource, metadata: {...fields, annotations: after}};
  }

  /** One line for an image: what the strictest policy says. */
  #plain(): string {
    const worst = new Map<string, ImageStatus>();
    for (const rules of this.#policies.values()) {
      for (const images of rules.values())
        for (const [image, status] of images) worst.set(image, worseOf(worst.get(image), status));
    }
    return JSON.stringify(jsonOf(worst, status => status));
  }

  #scoped(): string {
    const policies = jsonOf(this.#policies, rules => jsonOf(rules, images => jsonOf(images, status => status)));
    return JSON.stringify({version: 1, policies});
  }
}

/** Key of a policy in the record: `/name` when it is cluster-wide. */
export function recordKey({namespace, name}: {readonly namespace: string; readonly name: string}): string {
  return `${namespace}/${name}`;
}

const rank: Readonly<Record<ImageStatus, number>> = {skip: 0, pass: 1, fail: 2};

export function worseOf(a: ImageStatus | undefined, b: ImageStatus): ImageStatus {
  return a === undefined || rank[b] > rank[a] ? b : a;
}

function levels<T>(json: Json | undefined, read: (value: Json) => T | undefined): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  if (!isObject(json)) return found;
  for (const [key, value] of Object.entries(json)) {
    const inner = read(value);
    if (inner !== undefined) found.set(key, inner);
  }
  return found;
}

function statusOf(value: Json): ImageStatus | undefined {
  return value === 'pass' || value === 'fail' || value === 'skip' ? value : undefined;
}

/** Keys in order, so that the same record is the same text. */
function jsonOf<T>(map: ReadonlyMap<string, T>, write: (value: T) => Json): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of [...map].sort(([a], [b]) => (a < b ? -1 : 1))) setOwn(out, key, write(value));
  return out;
}
