const lastWins = 'cel-go, and so Kubernetes, lets the last of equal keys win';
const oldFormat =
  'the data follows a later version of `format` than version 2 of the library, which Kubernetes and Kyverno have';
const offset = 'cel-go answers -1 for an offset beyond the text';

/** Cases of the public conformance data that come out differently here, each with its reason. */
export const exceptions: Readonly<Record<string, string>> = {
  'fields/qualified_identifier_resolution/map_value_repeat_key': lastWins,
  'fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous': lastWins,
  'string_ext/format/scientific notation formatting clause': oldFormat,
  'string_ext/format/default precision for scientific notation': oldFormat,
  'string_ext/format/positive infinity support for scientific notation': oldFormat,
  'string_ext/format/negative infinity support for scientific notation': oldFormat,
  'string_ext/format/NaN support for decimal': oldFormat,
  'string_ext/format/positive infinity support for decimal': oldFormat,
  'string_ext/format/negative infinity support for decimal': oldFormat,
  'string_ext/format/positive infinity support for fixed-point': oldFormat,
  'string_ext/format/negative infinity support for fixed-point': oldFormat,
  'string_ext/format/list support for string': oldFormat,
  'string_ext/format/map support for string': oldFormat,
  'string_ext/format/map support (all key types)': oldFormat,
  'string_ext/format/dyntype support for scientific notation': oldFormat,
  'string_ext/format/dyntype NaN/infinity support': oldFormat,
  'string_ext/format/dyntype support for lists': oldFormat,
  'string_ext/format/dyntype support for maps': oldFormat,
  'string_ext/format/scientific notation formatting clause in a string variable': oldFormat,
  'string_ext/value_errors/indexof_out_of_range': offset,
  'string_ext/value_errors/lastindexof_out_of_range': offset,
  'type_deductions/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate':
    'null beside an optional: the types of literals are not widened for null of protobuf messages',
};
