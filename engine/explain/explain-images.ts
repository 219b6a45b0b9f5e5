import type {CompiledRule} from '../compile/types.js';
import {findImages} from '../image/image-extractors.js';
import type {RuleCall} from '../run/guard-rule.js';
import type {RuleResult} from '../types.js';
import {currentImage} from '../verify-images/current-image.js';
import {node} from './node.js';
import type {ExplainNode, Verdict} from './types.js';

/** The object's images and which entry is for which; what came of them is the result's message. */
export function explainImages(
  {rule, context, run}: RuleCall<CompiledRule>,
  results: readonly RuleResult[],
): ExplainNode | undefined {
  const {images, source} = rule;
  if (images === undefined) return undefined;
  const path = `${source.path}.verifyImages`;
  const found = findImages({kind: context.kind, resource: context.resource, extractors: images.extractors}, run);
  const children = found.map(({pointer, text, image}) => {
    if (image === undefined)
      return node({kind: 'image', name: text, path, at: pointer, verdict: 'error', note: 'is no image reference'});
    const current = currentImage({pointer, text}, image);
    const entries = images.entries.filter(entry => entry.matches(current.parts));
    const skipped = entries.length > 0 && entries.every(entry => entry.skips(current.parts));
    const verdict: Verdict = entries.length === 0 ? 'no' : skipped ? 'skip' : 'yes';
    const note =
      entries.length === 0
        ? 'no entry is for it'
        : `by ${entries.map(entry => entry.path.slice(source.path.length + 1)).join(', ')}`;
    return node({kind: 'image', name: current.name, path, at: pointer, verdict, note});
  });
  return node({kind: 'images', name: 'verifyImages', path, verdict: verdictOf(results), children});
}

function verdictOf(results: readonly RuleResult[]): Verdict {
  const statuses = new Set(results.map(({status}) => status));
  for (const status of ['error', 'fail', 'pass', 'skip'] as const) if (statuses.has(status)) return status;
  return 'ignored';
}
