import type {JsonObject} from '../json/types.js';
import {own} from '../json/types.js';
import type {PodCheck} from './each-container.js';
import {type FieldError, forbiddenVolume} from './field-error.js';
import {listAt, objectAt, objectItem, textAt} from './read.js';

const allowedSources = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const;

/** In the order in which a volume with several sources is named after one of them. */
const otherSources = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const;

export const hostPathVolumes: PodCheck = pod => {
  const volumes = listAt(pod.spec, 'volumes');
  let errors: FieldError[] | undefined;
  for (let index = 0; index < volumes.length; index++) {
    pod.budget.step();
    const source = objectAt(objectItem(volumes[index] ?? null, 'volumes'), 'hostPath');
    if (source !== undefined) (errors ??= []).push(volumeError(index, 'hostPath', source));
  }
  return errors;
};

/** Only sources that cannot reach the node or an unmanaged disk. */
export const restrictedVolumes: PodCheck = pod => {
  const volumes = listAt(pod.spec, 'volumes');
  let errors: FieldError[] | undefined;
  for (let index = 0; index < volumes.length; index++) {
    pod.budget.step();
    const volume = objectItem(volumes[index] ?? null, 'volumes');
    if (sourceAmong(volume, allowedSources) !== undefined) continue;
    const type = sourceAmong(volume, otherSources) ?? 'unknown';
    (errors ??= []).push(volumeError(index, type, objectAt(volume, type)));
  }
  return errors;
};

function sourceAmong(volume: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) if (objectAt(volume, name) !== undefined) return name;
  return undefined;
}

function volumeError(index: number, type: string, source: JsonObject | undefined): FieldError {
  return forbiddenVolume(`spec.volumes[${index}].${type}`, [type, ...texts(type, source)]);
}

function texts(type: string, source: JsonObject | undefined): string[] {
  if (source === undefined) return [];
  if (type === 'hostPath') return [textAt(source, 'path')];
  return Object.keys(source).flatMap(key => {
    const value = own(source, key);
    return typeof value === 'string' ? [value] : [];
  });
}
