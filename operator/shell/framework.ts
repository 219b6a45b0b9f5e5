import frameworkModule, {ResourceEventType, ResourceMetaImpl} from '@dot-i/k8s-operator';

type FrameworkClass = (typeof frameworkModule)['default'];

/** Node gives a CommonJS module's exports as its default, other loaders give the default export itself. */
function classOf(imported: typeof frameworkModule | FrameworkClass): FrameworkClass {
  return typeof imported === 'function' ? imported : imported.default;
}

/** The class of the operator framework. */
export const Framework = classOf(frameworkModule);
export {ResourceEventType, ResourceMetaImpl};
export type {ResourceEvent, ResourceMeta} from '@dot-i/k8s-operator';
