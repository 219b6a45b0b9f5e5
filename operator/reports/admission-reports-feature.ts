import type {Core, Feature} from '../feature.js';
import {type AdmissionFinding, admissionResults} from './admission-results.js';
import {reportSettings} from './report-settings.js';

/** Hands on what admissions found to where reports are written: of each object, by the replica that judged. */
export function createAdmissionReportsFeature(core: Pick<Core, 'flags' | 'cache' | 'cel'>, handOn: (finding: AdmissionFinding) => void): Feature {
  const {flags} = core;
  const settings = reportSettings(core);
  return {
    name: 'reports of admissions',
    sink: {
      takes: () => flags.admissionReports && flags.policyReports,
      submit(record) {
        const found = admissionResults(record, settings);
        if (found !== undefined) handOn(found);
      },
    },
  };
}
