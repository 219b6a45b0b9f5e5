import {int64, list, named, requiring, type SchemaNode, text, time} from './schema.js';

const condition: SchemaNode = requiring(
  named('Condition', 'One aspect of the state, as Kubernetes reports it.', {
    type: text('Aspect, for instance Ready.'),
    status: {
      ...text('True, False or Unknown.'),
      ts: `'True' | 'False' | 'Unknown'`,
      enum: ['True', 'False', 'Unknown'],
    },
    reason: text('One word for programs.'),
    message: text('One line for people.'),
    observedGeneration: int64('Generation of the object that was judged.'),
    lastTransitionTime: time('When status last changed.'),
  }),
  'type',
  'status',
);

export const conditions: SchemaNode = list('State of the object; look for type Ready.', condition);

export const observedGeneration: SchemaNode = int64(
  'Generation that this status describes; older than metadata.generation = not judged yet.',
);
