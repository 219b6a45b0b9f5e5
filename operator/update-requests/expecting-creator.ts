import type {ExpectedFindings} from '../reports/expected-findings.js';
import type {RequestCreator} from './request-creator.js';
import {updateRequestName} from './update-request.js';

/** Has the report of a trigger wait for the work that is asked for; `works`: this replica does it, in whose writes it is told. */
export function expectingCreator(creator: RequestCreator, expected: ExpectedFindings, works: () => boolean): RequestCreator {
  return {
    async create(work, deadline) {
      const name = updateRequestName(work);
      if (works()) expected.expect(work.trigger.uid, name);
      const isStored = await creator.create(work, deadline);
      if (!isStored) expected.over(name);
      return isStored;
    },
  };
}
