import {KubeConfig} from '@kubernetes/client-node';

/**
 * The operator framework's constructor loads the user's default kubeconfig. The next `loadFromDefault` loads `given`
 * instead, once; the returned function tells whether that has happened and puts things back in any case.
 */
export function replaceDefaultContext(given: KubeConfig): () => boolean {
  const original = KubeConfig.prototype.loadFromDefault;
  let used = false;
  KubeConfig.prototype.loadFromDefault = function load(this: KubeConfig) {
    KubeConfig.prototype.loadFromDefault = original;
    used = true;
    this.loadFromOptions({
      clusters: given.getClusters(),
      users: given.getUsers(),
      contexts: given.getContexts(),
      currentContext: given.getCurrentContext(),
    });
  };
  return () => {
    if (!used) KubeConfig.prototype.loadFromDefault = original;
    return used;
  };
}
