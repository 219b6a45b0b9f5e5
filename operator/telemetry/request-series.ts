import {Gauge} from 'prom-client';
import type {ObjectReader} from '../../adapters/kube/object-store.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createNamespaceCap} from '../../webhook/metrics/namespace-cap.js';
import type {Core} from '../feature.js';

const maxNamespaces = 200;

/** Update requests that there are, by the namespace of what triggered them; `mirror` is undefined where none are read. */
export function registerRequestSeries({metrics}: Pick<Core, 'metrics'>, mirror: () => ObjectReader | undefined): void {
  const namespaceLabel = createNamespaceCap(maxNamespaces);
  new Gauge({
    name: 'kyverno_updaterequest_total',
    help: 'Update requests that wait, fail or were left out, by namespace of their trigger',
    labelNames: ['resource_namespace'],
    registers: [metrics.registry],
    collect() {
      this.reset();
      const reader = mirror();
      if (reader === undefined) return;
      let none = true;
      for (const request of reader.objects()) {
        none = false;
        this.inc({resource_namespace: namespaceLabel(triggerNamespace(request))});
      }
      // So that a graph shows a line and not a gap.
      if (none) this.set({resource_namespace: '-'}, 0);
    },
  });
}

function triggerNamespace(request: JsonObject): string {
  const contexts = ownPath(request, 'spec', 'ruleContext');
  const first = Array.isArray(contexts) ? ownPath(contexts[0], 'trigger', 'namespace') : undefined;
  return textOf(first ?? ownPath(request, 'spec', 'resource', 'namespace'));
}
