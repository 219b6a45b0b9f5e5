export {compilePodSecurity, exempted, type PodSecurityOptions} from './compile-pod-security.js';
export {compileExclusion, type Exclusion, type Exemption} from './exclusion.js';
