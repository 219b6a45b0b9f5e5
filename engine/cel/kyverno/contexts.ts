import {opaque} from '../types/type.js';
import {OpaqueValue, type Value} from '../values/value.js';

/** What the variables `resource`, `http`, `json` … hold: receivers that only their own functions look into. */
export class ContextValue extends OpaqueValue {
  constructor(readonly typeName: string) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

/** `resource`; in a policy of a namespace it is bound to that namespace. */
export class ResourceContext extends ContextValue {
  constructor(readonly namespace: string | undefined) {
    super(resourceContext.name);
  }
}

/** `http`, or `http.Client(…)`. */
export class HttpContext extends ContextValue {
  /** PEM; empty for the system's authorities. */
  constructor(readonly caBundle: string) {
    super(httpContext.name);
  }

  override equals(other: OpaqueValue): boolean {
    return other instanceof HttpContext && other.caBundle === this.caBundle;
  }
}

const context = (name: string) => ({name, type: opaque(name)});

export const resourceContext = context('resource.Context');
export const httpContext = context('http.Context');
export const globalContext = context('globalcontext.Context');
export const imageDataContext = context('imagedata.Context');
export const jsonContext = context('json.Json');
export const yamlContext = context('yaml.Yaml');

/** Values that are the same for every policy. */
export const constantContexts: Readonly<Record<string, Value>> = {
  http: new HttpContext(''),
  globalContext: new ContextValue(globalContext.name),
  image: new ContextValue(imageDataContext.name),
  json: new ContextValue(jsonContext.name),
  yaml: new ContextValue(yamlContext.name),
};
