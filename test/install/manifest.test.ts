import {readManifests} from '../cluster/install-operator.js';
import {installSuite} from './install-suite.js';

for (const replicas of [1, 3]) installSuite({name: 'the manifest', replicas, objects: readManifests});
