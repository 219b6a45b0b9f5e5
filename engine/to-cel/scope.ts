import type {Json} from '../json/types.js';
import type {ContextEntry} from '../policy/model.js';
import {Unconvertible} from './code.js';
import {type QueryScope, queryValue, requestRoot} from './query.js';
import {templateValue} from './template.js';
import {literalValue, orElse, textOf, type Value, value} from './value.js';

/** What a rule's expressions may speak of: the request, its context entries, elements of loops. */
export class RuleNames implements QueryScope {
  readonly #names: ReadonlyMap<string, () => Value>;

  constructor(names: ReadonlyMap<string, () => Value> = new Map([['request', requestRoot]])) {
    this.#names = names;
  }

  root(name: string): Value | undefined {
    return this.#names.get(name)?.();
  }

  with(name: string, make: () => Value): RuleNames {
    return new RuleNames(new Map([...this.#names, [name, make]]));
  }

  /** The element of a loop, by the name that its macro binds. */
  withElement(name: string, depth: number): RuleNames {
    const element = () => value(name, 'any', {path: {holder: name, keys: []}});
    return this.with('element', element).with(`element${depth}`, element);
  }

  /** An entry is told apart from what it is only where something asks for it. */
  withContext(entries: readonly ContextEntry[], path: string): RuleNames {
    let names: RuleNames = this;
    for (const [index, entry] of entries.entries()) {
      const before = names;
      names = names.with(entry.name, () => entryValue(entry, `${path}[${index}]`, before));
    }
    return names;
  }
}

function entryValue(entry: ContextEntry, path: string, scope: RuleNames): Value {
  switch (entry.type) {
    case 'variable': {
      const given = entry.value === undefined ? undefined : variableValue(entry.value, `${path}.variable.value`, scope);
      const found = entry.jmesPath === undefined ? given : queryValue(plain(entry.jmesPath), `${path}.variable.jmesPath`, scope, given);
      if (found === undefined) throw new Unconvertible(path, 'a variable without value');
      if (entry.default === undefined) return found;
      const other = literalValue(entry.default);
      if (other === undefined) throw new Unconvertible(`${path}.variable.default`, 'a default of this form');
      return value(orElse(found, other.text), found.kind);
    }
    case 'configMap': {
      const [namespace, name] = [entry.configMapNamespace, entry.configMapName].map(text => textOf(templateValue(text, path, scope)));
      return holder(`resource.Get('v1', 'configmaps', ${namespace}, ${name})`);
    }
    case 'globalReference': {
      const found = holder(`globalContext.Get('${entry.entry}', '')`);
      return entry.jmesPath === undefined ? found : queryValue(entry.jmesPath, `${path}.globalReference.jmesPath`, scope, found);
    }
    case 'apiCall':
      throw new Unconvertible(`${path}.apiCall`, 'API calls have to be written with resource.Get, resource.List or http.Get');
    case 'imageRegistry':
      throw new Unconvertible(`${path}.imageRegistry`, 'image data has another form in CEL (image.GetMetadata)');
  }
}

function holder(text: string): Value {
  return value(text, 'map', {path: {holder: text, keys: []}});
}

function variableValue(raw: Json, path: string, scope: RuleNames): Value {
  if (typeof raw === 'string') return templateValue(raw, path, scope);
  const literal = literalValue(raw);
  if (literal === undefined) throw new Unconvertible(path, 'a value of this form');
  return literal;
}

/** A query may be written as a variable. */
function plain(query: string): string {
  return /^\{\{(.*)\}\}$/s.exec(query.trim())?.[1]?.trim() ?? query;
}
