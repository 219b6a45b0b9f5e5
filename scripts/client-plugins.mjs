// What bundles hold of the Kubernetes client: as little as is used. Plugins of esbuild.

/**
 * The Kubernetes client has a class for each kind and version, and none of its modules does anything but declare: what nobody refers to
 * stays out. It is two thirds of the operator's text, which each thread holds in memory.
 */
const declarationsOnly = {
  name: 'declarations-only',
  setup({onResolve, resolve: find}) {
    const known = {};
    const inClient = /[\\/]@kubernetes[\\/]client-node[\\/]/;
    onResolve({filter: /^\.|^@kubernetes\/client-node$/}, async ({path, importer, kind, resolveDir, pluginData}) => {
      if (pluginData === known || (path.startsWith('.') && !inClient.test(importer))) return undefined;
      const found = await find(path, {kind, importer, resolveDir, pluginData: known});
      return {...found, sideEffects: false};
    });
  },
};

/** Of the client's exports, those that the operator's framework names. */
const framework = {
  name: 'framework',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^@kubernetes\/client-node$/}, ({importer}) => (/[\\/]@dot-i[\\/]/.test(importer) ? {path: 'exports', namespace: 'framework'} : undefined));
    onLoad({filter: /.*/, namespace: 'framework'}, () => ({
      contents: "export {ApiextensionsV1Api, CoreV1Api, KubeConfig, loadYaml, Watch} from '@kubernetes/client-node';",
      resolveDir: import.meta.dirname,
    }));
  },
};

/** The client's classes of objects, which its requests turn JSON into: none of ours are made by it, so that they are read when one is. */
export const clientModels = {models: 'node_modules/@kubernetes/client-node/dist/gen/models/ObjectSerializer.js'};
const lazyModels = {
  name: 'lazy-models',
  setup({onResolve, onLoad}) {
    onResolve({filter: /\/ObjectSerializer\.js$/}, ({importer}) => (importer === '' ? undefined : {path: 'serializer', namespace: 'lazy-models'}));
    onResolve({filter: /^\.\/models\.cjs$/, namespace: 'lazy-models'}, ({path}) => ({path, external: true}));
    onLoad({filter: /.*/, namespace: 'lazy-models'}, () => ({
      contents: `const real = () => require('./models.cjs').ObjectSerializer;
exports.ObjectSerializer = new Proxy(class ObjectSerializer {}, {get: (own, name) => (Object.hasOwn(own, name) ? own[name] : real()[name])});`,
    }));
  },
};

export const clientPlugins = [framework, lazyModels, declarationsOnly];
