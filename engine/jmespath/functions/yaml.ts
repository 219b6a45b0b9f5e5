import {EvalError} from '../../diagnostic.js';
import {parseYaml} from '../../yaml/parse.js';
import {YamlError} from '../../yaml/types.js';
import {chargeText} from './charge.js';
import {define, type FunctionDefinition} from './define.js';

export const yamlFunctions: readonly FunctionDefinition[] = [
  define('parse_yaml', ['string'], ([text], env) => {
    chargeText(env, text.length);
    env.budget.step(text.length >>> 2);
    try {
      return parseYaml(text);
    } catch (error) {
      if (error instanceof YamlError) throw new EvalError(error.message);
      throw error;
    }
  }),
];
