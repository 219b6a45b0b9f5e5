import {isDyn, isDynOrError, mapParameters, sameType} from './same.js';
import {dynType, param, type Type} from './type.js';
import {typeSize} from './type-size.js';

/** Steps that the types of one expression may take; real ones take some thousands. */
const stepLimit = 1_000_000;

/** Thrown when types double with each level: no expression that means something needs as many steps. */
export class TooComplex {
  readonly message = 'types of the expression are too complex';
}

/**
 * What type parameters stand for, as far as it is known. Follows cel-go's rules step by step, so that the same
 * expressions pass: `dyn` agrees with everything, null with every type that may be absent, and of two types that agree
 * the more general one is kept.
 */
export class Unifier {
  private readonly known = new Map<string, Type>();
  /** What `known` held before each change since `assignable` was entered. */
  private readonly trail: [name: string, before: Type | undefined][] = [];
  private fresh = 0;
  private steps = 0;

  /** A parameter that is in no type yet. Named as cel-go's messages show it. */
  freshParameter(): Type {
    return param(`_var${this.fresh++}`);
  }

  /** Whether each value of `from` may stand where its twin of `to` is asked for. What that tells of parameters is kept only if so. */
  assignable(from: readonly Type[], to: readonly Type[]): boolean {
    if (from.length !== to.length) return false;
    const mark = this.trail.length;
    for (let index = 0; index < from.length; index++) {
      if (!this.agrees(from[index]!, to[index]!)) {
        this.undo(mark);
        return false;
      }
    }
    this.trail.length = 0;
    return true;
  }

  /** With all that is known put in. */
  resolve(type: Type): Type {
    return mapParameters(type, parameter => {
      const known = this.known.get(parameter.name);
      return known === undefined ? parameter : this.resolve(this.counted(known));
    });
  }

  /** As `resolve`; what is not known becomes dyn. */
  settle(type: Type): Type {
    return mapParameters(type, parameter => {
      const known = this.known.get(parameter.name);
      return known === undefined ? dynType : this.settle(this.counted(known));
    });
  }

  /** Throws TooComplex. */
  private counted(type: Type): Type {
    this.steps += typeSize(type);
    if (this.steps > stepLimit) throw new TooComplex();
    return type;
  }

  private set(name: string, type: Type): void {
    this.trail.push([name, this.known.get(name)]);
    this.known.set(name, type);
  }

  private undo(mark: number): void {
    while (this.trail.length > mark) {
      const [name, before] = this.trail.pop()!;
      if (before === undefined) this.known.delete(name);
      else this.known.set(name, before);
    }
  }

  private agrees(a: Type, b: Type): boolean {
    if (a === b) return true;
    if (++this.steps > stepLimit) throw new TooComplex();
    if (b.kind === 'param') {
      const outcome = this.substitute(a, b);
      if (outcome !== 'unknown') return outcome === 'agrees';
    }
    if (a.kind === 'param') return this.substitute(b, a) === 'agrees';
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === 'null') return mayBeNull(b);
    if (b.kind === 'null') return mayBeNull(a);
    return this.sameShape(a, b);
  }

  private sameShape(a: Type, b: Type): boolean {
    if (a.kind !== b.kind) return false;
    switch (a.kind) {
      case 'list':
        return this.agrees(a.element, (b as typeof a).element);
      case 'map':
        return this.agrees(a.key, (b as typeof a).key) && this.agrees(a.value, (b as typeof a).value);
      case 'optional':
        return this.agrees(a.value, (b as typeof a).value);
      case 'opaque':
      case 'object':
        return a.name === (b as typeof a).name;
      default:
        return true;
    }
  }

  /** Whether `parameter` may stand for `type`. `unknown`: not, but nothing is known of the parameter either. */
  private substitute(type: Type, parameter: Type & {kind: 'param'}): 'agrees' | 'differs' | 'unknown' {
    if (type.kind === 'param' && type.name === parameter.name) return 'agrees';
    const known = this.known.get(parameter.name);
    if (known === undefined) {
      if (this.occurs(parameter, type)) return 'unknown';
      this.set(parameter.name, type);
      return 'agrees';
    }
    if (sameType(type, known)) return 'agrees';
    if (!this.agrees(type, known)) return 'differs';
    const general = moreGeneral(type, known);
    if (general !== known && !this.occurs(parameter, general)) this.set(parameter.name, general);
    return 'agrees';
  }

  private occurs(parameter: Type & {kind: 'param'}, within: Type): boolean {
    switch (within.kind) {
      case 'param': {
        if (within.name === parameter.name) return true;
        const known = this.known.get(within.name);
        return known !== undefined && this.occurs(parameter, this.counted(known));
      }
      case 'list':
        return this.occurs(parameter, within.element);
      case 'map':
        return this.occurs(parameter, within.key) || this.occurs(parameter, within.value);
      case 'optional':
        return this.occurs(parameter, within.value);
      case 'type':
        return within.of !== undefined && this.occurs(parameter, within.of);
      default:
        return false;
    }
  }
}

function mayBeNull(type: Type): boolean {
  switch (type.kind) {
    case 'null':
    case 'opaque':
    case 'optional':
    case 'object':
    case 'duration':
    case 'timestamp':
      return true;
    default:
      return false;
  }
}

/** Of two types that agree. */
export function moreGeneral(a: Type, b: Type): Type {
  return lessOrEquallySpecific(a, b) ? a : b;
}

function lessOrEquallySpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === 'param') return true;
  if (isDyn(b) || b.kind === 'param') return false;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'list':
      return lessOrEquallySpecific(a.element, (b as typeof a).element);
    case 'map':
      return lessOrEquallySpecific(a.key, (b as typeof a).key) && lessOrEquallySpecific(a.value, (b as typeof a).value);
    case 'optional':
      return lessOrEquallySpecific(a.value, (b as typeof a).value);
    case 'type':
      return true;
    default:
      return sameType(a, b);
  }
}
