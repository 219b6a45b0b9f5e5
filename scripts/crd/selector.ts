import {atomic, list, named, type SchemaNode, text, textMap, texts, word} from './schema.js';

export const labelSelector: SchemaNode = atomic(
  named('LabelSelector', 'A label selector; all parts must hold.', {
    matchLabels: textMap('Labels by key and value.'),
    matchExpressions: list(
      'Label requirements.',
      named('LabelRequirement', 'One requirement on one label.', {
        key: text('Label key.'),
        operator: word('How key and values relate.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: texts('Values for In and NotIn.'),
      }),
    ),
  }),
);
