/**
 * Segments of a dotted path: `a.b.c`. A segment in double quotes may hold dots (`a."b.c"`), two quotes inside it are
 * one.
 */
export function splitPath(path: string): readonly string[] {
  const segments: string[] = [];
  let index = 0;
  for (;;) {
    if (path[index] === '"') {
      let segment = '';
      let end = index + 1;
      for (; end < path.length; end++) {
        if (path[end] !== '"') segment += path[end];
        else if (path[end + 1] === '"') segment += path[end++];
        else break;
      }
      segments.push(segment);
      index = end + 1;
    } else {
      const dot = path.indexOf('.', index);
      const end = dot === -1 ? path.length : dot;
      segments.push(path.slice(index, end));
      index = end;
    }
    if (path[index] !== '.') return segments;
    index++;
  }
}
