import {textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {type NewUpdateRequest, readUpdateRequest, repeatAnnotation, replaced, replacesAnnotation, type RuleContext, updateRequestObject} from './update-request.js';

/** Whether one request can stand for both: the new one triggers all that the stored one is to do, and tells of it anew. */
export function standsForBoth(work: NewUpdateRequest, stored: JsonObject): boolean {
  return contextsOf(stored).every(({rule}) => work.rules.includes(rule));
}

/** The stored request with what a later one asks for, whose words count; that something is to be deleted stays. Holds for the version that was read. */
export function repeatedRequest(work: NewUpdateRequest, stored: JsonObject): JsonObject {
  const spec = own(stored, 'spec');
  const metadata = own(stored, 'metadata');
  const asked = own(updateRequestObject(work), 'spec');
  const deleting = new Set(contextsOf(stored).filter(({deleteDownstream}) => deleteDownstream).map(({rule}) => rule));
  const contexts = ownPath(asked, 'ruleContext');
  const {[replacesAnnotation]: _replaced, ...annotations} = objectOf(ownPath(metadata, 'annotations'));
  const count = Number.parseInt(textOf(own(annotations, repeatAnnotation)), 10) || 0;
  return {
    ...stored,
    metadata: {
      ...objectOf(metadata),
      annotations: {...annotations, ...replaced(work.request).annotations, [repeatAnnotation]: `${count + 1} ${work.request.uid}`},
    },
    spec: {
      ...objectOf(spec),
      context: ownPath(asked, 'context') ?? {},
      ...(Array.isArray(contexts) && {
        ruleContext: contexts.filter(isObject).map(context => (deleting.has(textOf(own(context, 'rule'))) ? {...context, deleteDownstream: true} : context)),
      }),
    },
  };
}

/** None of one that cannot be read: it is to say what is asked now. */
function contextsOf(stored: JsonObject): readonly RuleContext[] {
  const read = readUpdateRequest(stored);
  return typeof read === 'string' ? [] : read.contexts;
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
