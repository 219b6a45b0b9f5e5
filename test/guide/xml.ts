export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, entities still in it. */
  readonly text: string;
}

const entity = String.raw`&(?:lt|gt|amp|quot|apos|#\d+|#x[0-9a-fA-F]+);`;
const characters = new RegExp(`^(?:[^<&\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]|${entity})*$`);

/** Reads the XML that programs write: elements, attributes and text. Throws where it is not well-formed. */
export function parseXml(source: string): XmlElement {
  const body = source.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  const token = /<(\/?)([\w-]+)((?:\s+[\w-]+="[^"]*")*)\s*(\/?)>|([^<]+)/y;
  const root = {name: '', attributes: new Map<string, string>(), children: [] as XmlElement[], text: ''};
  const open = [root];
  while (token.lastIndex < body.length) {
    const at = token.lastIndex;
    const match = token.exec(body);
    if (match === null) throw new Error(`no markup at ${at}: ${body.slice(at, at + 40)}`);
    const [, closes = '', name = '', attributes = '', empty = '', text = ''] = match;
    const parent = open.at(-1)!;
    if (text !== '') parent.text += wellFormed(text);
    else if (closes !== '') {
      if (parent.name !== name || open.pop() === root) throw new Error(`${name} closes ${parent.name}`);
    } else {
      const element = {name, attributes: readAttributes(attributes), children: [], text: ''};
      parent.children.push(element);
      if (empty === '') open.push(element);
    }
  }
  const [only, ...more] = root.children;
  if (only === undefined || more.length > 0 || open.length > 1 || root.text.trim() !== '')
    throw new Error('not one element');
  return only;
}

function readAttributes(source: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of source.matchAll(/([\w-]+)="([^"]*)"/g)) {
    if (found.has(name)) throw new Error(`${name} is given twice`);
    found.set(name, wellFormed(value));
  }
  return found;
}

function wellFormed(text: string): string {
  if (!characters.test(text)) throw new Error(`not well-formed: ${text.slice(0, 40)}`);
  return text;
}
