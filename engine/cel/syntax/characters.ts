/** Classes of UTF-16 code units, as CEL's grammar names them. */
const letter = 1;
const digit = 2;
const hex = 4;
const space = 8;
const quotable = 16;

const classes = new Uint8Array(128);
const mark = (characters: string, flag: number): void => {
  for (const character of characters) classes[character.charCodeAt(0)]! |= flag;
};
mark('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_', letter | quotable);
mark('0123456789', digit | hex | quotable);
mark('abcdefABCDEF', hex);
mark(' \t\r\n\f', space);
mark('.-/ ', quotable);

const has = (code: number, flags: number): boolean => code < 128 && (classes[code]! & flags) !== 0;

/** `NaN` (behind the end of a string) belongs to no class. */
export const isNameStart = (code: number): boolean => has(code, letter);
export const isNamePart = (code: number): boolean => has(code, letter | digit);
export const isDigit = (code: number): boolean => has(code, digit);
export const isHexDigit = (code: number): boolean => has(code, hex);
export const isSpace = (code: number): boolean => has(code, space);
/** May stand between backquotes. */
export const isQuotable = (code: number): boolean => has(code, quotable);
