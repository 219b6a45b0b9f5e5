import type {RequestCreator} from './request-creator.js';
import type {BackgroundLink} from './requests-feature.js';
import {updateRequestName} from './update-request.js';

/** Has the report of a trigger wait for the work that is asked for, where this replica does it and tells of it in the same write. */
export function expectingCreator(creator: RequestCreator, link: Pick<BackgroundLink, 'works' | 'expect' | 'over'>): RequestCreator {
  return {
    async create(work, deadline) {
      const name = updateRequestName(work);
      if (link.works()) link.expect(work.trigger.uid, name);
      const isStored = await creator.create(work, deadline);
      if (!isStored) link.over(name);
      return isStored;
    },
  };
}
