/** A fault of a patch. No `Error`: it is caught where the patch is applied and becomes an `EvalError` there. */
export class PatchFault {
  constructor(readonly text: string) {}
}

/** Go's Atoi reads `+1` and `01` too; patches in the wild write neither. */
const indexText = /^(?:0|-?[1-9]\d{0,8})$/;

type Index = number | {readonly fault: string};

/** Position of an element that is there. */
export function itemIndex(token: string, length: number): Index {
  if (!indexText.test(token)) return {fault: `strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`};
  const index = Number(token);
  const at = index < 0 ? index + length : index;
  return at >= 0 && at < length ? at : {fault: `Unable to access invalid index: ${index}: invalid index referenced`};
}

/** Position before which a value is put: `-` and the length are the end. */
export function insertionPoint(token: string, length: number): Index {
  if (token === '-') return length;
  if (!indexText.test(token)) {
    return {
      fault: `value was not a proper array index: '${token}': strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`,
    };
  }
  const index = Number(token);
  const at = index < 0 ? index + length + 1 : index;
  return at >= 0 && at <= length ? at : {fault: `Unable to access invalid index: ${index}: invalid index referenced`};
}
