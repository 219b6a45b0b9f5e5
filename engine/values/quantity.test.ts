import {describe, expect, it} from 'vitest';
import {Float} from '../json/types.js';
import {compareQuantities, formatQuantity, parseQuantity, quantityFromNumber} from './quantity.js';

const canonical: ReadonlyArray<readonly [string, string]> = [
  ['0', '0'],
  ['0Ki', '0'],
  ['-0', '0'],
  ['1', '1'],
  ['+1', '1'],
  ['-1', '-1'],
  ['007', '7'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['5.', '5'],
  ['1.G', '1G'],
  ['100k', '100k'],
  ['1000k', '1M'],
  ['1000000', '1M'],
  ['1024Mi', '1Gi'],
  ['1536Mi', '1536Mi'],
  ['1.5Gi', '1536Mi'],
  ['1023Ki', '1023Ki'],
  ['0.5Ki', '512'],
  ['0.0001Ki', '102400u'],
  ['1e3', '1e3'],
  ['1E3', '1e3'],
  ['12e5', '1200e3'],
  ['5e-3', '5e-3'],
  ['1E', '1E'],
  ['1000E', '1000E'],
  ['1Ei', '1Ei'],
  ['100Ei', '9223372036854775807'],
  ['-100Ei', '-9223372036854775807'],
  ['0.0000000001', '1n'],
  ['-0.0000000001', '-1n'],
  ['1.0000000001', '1000000001n'],
  ['1e-2000000000', '1e-9'],
  ['1n', '1n'],
  ['1u', '1u'],
];

describe('quantities', () => {
  it.each(canonical)('%s prints as %s', (text, want) => {
    const quantity = parseQuantity(text);
    expect(quantity && formatQuantity(quantity)).toBe(want);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    'abc',
    'm',
    'Ki',
    '.',
    '+',
    '-',
    '1.1.M',
    '1mi',
    '1ki',
    '1K',
    '1i',
    '1e',
    '1e+',
    '1e1.5',
    '1Mi5',
    '--1',
    '0x10',
    '1,5',
    '1e99999999999',
    '1'.repeat(300),
  ])('%j is no quantity', text => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it('a sign in front changes nothing about how the rest is read', () => {
    for (const digits of ['0', '7', '1024', '999999999999999', '1000000000000000', '12345678901234567890']) {
      for (const suffix of [
        '',
        'n',
        'u',
        'm',
        'k',
        'M',
        'G',
        'T',
        'P',
        'E',
        'Ki',
        'Mi',
        'Gi',
        'Ti',
        'Pi',
        'Ei',
        'e3',
      ]) {
        expect(parseQuantity(digits + suffix)).toEqual(parseQuantity(`+${digits}${suffix}`));
      }
    }
  });

  const orders: ReadonlyArray<readonly [string, '<' | '=' | '>', string]> = [
    ['1Gi', '=', '1024Mi'],
    ['1', '=', '1000m'],
    ['1e3', '=', '1k'],
    ['1Gi', '>', '1G'],
    ['500m', '>', '100m'],
    ['-1', '<', '1'],
    ['-2', '<', '-1'],
    ['-1k', '<', '-1'],
    ['0', '=', '0Gi'],
    ['-1', '<', '0'],
    ['0', '<', '1n'],
    ['999m', '<', '1'],
    ['9', '<', '10'],
    ['1e2000000000', '>', '9Ei'],
    ['-1e2000000000', '<', '-9Ei'],
    ['1e2000000000', '<', '1e2000000001'],
    ['10e1999999999', '=', '1e2000000000'],
  ];
  it.each(orders)('%s %s %s', (left, order, right) => {
    const [a, b] = [parseQuantity(left), parseQuantity(right)];
    if (!a || !b) throw new Error('no quantity');
    const sign = {'<': -1, '=': 0, '>': 1}[order];
    expect(Math.sign(compareQuantities(a, b))).toBe(sign);
    expect(Math.sign(compareQuantities(b, a))).toBe(0 - sign + 0);
  });

  it.each([
    [80, '80'],
    [1_000_000, '1000000'],
    [2n ** 63n - 1n, '9223372036854775807'],
    [0.5, '500m'],
    [-0.25, '-250m'],
    [new Float(3), '3'],
    [new Float(1e21), '1e21'],
    [1e-7, '100n'],
  ] as const)('the number %s is the quantity %s', (number, text) => {
    const quantity = parseQuantity(text);
    expect(quantity && compareQuantities(quantityFromNumber(number), quantity)).toBe(0);
  });
});
