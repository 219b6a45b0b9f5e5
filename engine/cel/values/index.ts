export {equals, type Meter} from './equality.js';
export {toJson} from './json.js';
export {
  isMap,
  isPlainMap,
  type MapValue,
  makeMap,
  mapEntries,
  mapGet,
  mapHas,
  mapKey,
  mapKeys,
  mapSize,
  type PlainMap,
} from './maps.js';
export {
  compareNumbers,
  type DoubleValue,
  doubleOf,
  type IntValue,
  integralOf,
  intOf,
  isDouble,
  isInt,
  isNumeric,
  toBigInt,
  toNumber,
  uintOf,
} from './numbers.js';
export {compare, compareText} from './ordering.js';
export {codePoints, doubleText, keyText, valueText} from './text.js';
export {durationOf, durationText, parseDurationText, parseTimestamp, timestampOf, timestampText} from './time.js';
export {runtimeName, typeOfValue} from './type-of.js';
