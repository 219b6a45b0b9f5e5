const parts =
  `a b.c "s" ' " \` \`a\` 1 2.5 1u 0x true null in has( .all( x, .map( ( ) [ ] { } . , : ? + - * / % ! == != < <= > >= && || & | = // \\ r" b" """ @ $ # é 😀 \ud800 cel.bind( .? [? {? Object{ if size( .exists_one( .optMap( math.greatest( \u0000 1e .5 __proto__ constructor`.split(
    ' ',
  );

/** Numbers from 0 to below `n`, the same ones in every run. */
function generator(seed: number): (n: number) => number {
  let state = seed;
  return n => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % n;
  };
}

/** Texts of up to 14 tokens and pieces of tokens, the same ones for the same seed. */
export function* tokenSoup({seed, texts}: {readonly seed: number; readonly texts: number}): Generator<string> {
  const next = generator(seed);
  for (let round = 0; round < texts; round++) {
    let source = '';
    for (let count = next(14) + 1; count > 0; count--) {
      source += parts[next(parts.length)]! + (next(3) === 0 ? ' ' : '');
    }
    yield source;
  }
}
