import type {Core, Feature} from '../feature.js';
import {type AdmissionFinding, admissionResults} from './admission-results.js';
import {type Refusal, refusalOf} from './refused-requests.js';
import {reportSettings} from './report-settings.js';

export interface ReportsBeside {
  handOn(finding: AdmissionFinding): void;
  refuse(refusal: Refusal): void;
}

/** Hands on what admissions found to where reports are written: of each object, by the replica that judged. */
export function createAdmissionReportsFeature(core: Pick<Core, 'flags' | 'cache' | 'cel'>, {handOn, refuse}: ReportsBeside): Feature {
  const {flags} = core;
  const settings = reportSettings(core);
  return {
    name: 'reports of admissions',
    sink: {
      takes: () => flags.admissionReports && flags.policyReports,
      submit(record) {
        const found = admissionResults(record, settings);
        if (found !== undefined) handOn(found);
        const refusal = refusalOf(record);
        if (refusal !== undefined) refuse(refusal);
      },
    },
  };
}
