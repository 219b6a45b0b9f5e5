import type {CommandNode} from './command-tree.js';

export interface MarkdownOptions {
  /** Front matter for a web site instead of a heading. */
  readonly website: boolean;
  /** Links with the file's ending; web sites leave it out. */
  readonly markdownLinks: boolean;
  /** A last line that says that the file is generated. */
  readonly autogenTag: boolean;
  /** Of the last line; left out when absent. */
  readonly date?: string;
}

/** File of a command: `kyverno_jp_query.md`. */
export function fileName(node: Pick<CommandNode, 'path'>): string {
  return `${node.path.join('_')}.md`;
}

/** One page per command. */
export function markdownPage(node: CommandNode, parent: CommandNode | undefined, options: MarkdownOptions): string {
  const title = node.path.join(' ');
  const head = options.website ? `---\ntitle: "${title}"\n---\n` : `## ${title}\n`;
  const sections = [head, `${sentence(node.description)}\n`, `\`\`\`\n${node.usage}\n\`\`\`\n`, flagSection(node)];
  const related = [...(parent === undefined ? [] : [parent]), ...node.children];
  if (related.length > 0) sections.push(`### See also\n\n${related.map(other => link(other, options)).join('\n')}\n`);
  if (options.autogenTag)
    sections.push(
      `###### Generated from the command's own description${options.date === undefined ? '' : ` on ${options.date}`}\n`,
    );
  return sections.filter(section => section !== '').join('\n');
}

function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function flagSection(node: CommandNode): string {
  if (node.flags.length === 0) return '';
  const width = Math.max(...node.flags.map(flag => flag.written.length));
  const lines = node.flags.map(flag => {
    const fallback = flag.default === undefined ? '' : ` (default: ${flag.default})`;
    return `  ${flag.written.padEnd(width)}   ${flag.description}${fallback}`;
  });
  return `### Options\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`;
}

function link(node: CommandNode, {markdownLinks}: MarkdownOptions): string {
  const file = fileName(node);
  return `* [${node.path.join(' ')}](${markdownLinks ? file : file.replace(/\.md$/, '')}) - ${node.description}`;
}
