import type {RequestCreator} from './request-creator.js';
import type {BackgroundLink} from './requests-feature.js';

/** Has the report of a trigger wait for the work that is asked for, where this replica does it and tells of it in the same write. */
export function expectingCreator(creator: RequestCreator, link: Pick<BackgroundLink, 'works' | 'expect' | 'over'>): RequestCreator {
  return {
    async create(work, options) {
      let name = '';
      const isStored = await creator.create(work, {
        ...options,
        onName(next) {
          // One that is stored beside another finds that one waiting, too: both have something to say of the object.
          name = next;
          if (link.works()) link.expect(work.trigger.uid, name);
          options.onName?.(name);
        },
      });
      if (!isStored) link.over(name);
      return isStored;
    },
  };
}
