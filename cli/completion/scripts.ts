import {type CommandNode, flatten} from '../docs/command-tree.js';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** A completion script of the whole tree: sub-commands and flags, files elsewhere. It never calls the command. */
export function completionScript(shell: Shell, root: CommandNode): string {
  switch (shell) {
    case 'bash':
      return bash(root);
    case 'zsh':
      return zsh(root);
    case 'fish':
      return fish(root);
    case 'powershell':
      return powershell(root);
  }
}

function childNames(node: CommandNode): readonly string[] {
  return node.children.map(child => child.path.at(-1)!);
}

function flagNames(node: CommandNode): readonly string[] {
  return node.flags.flatMap(flag => [flag.short, flag.long].filter(name => name !== undefined));
}

/** What is known after the words of `node`, under its words joined by blanks. */
function cases(root: CommandNode): ReadonlyArray<{readonly words: string; readonly node: CommandNode}> {
  return flatten(root).map(node => ({words: node.path.join(' '), node}));
}

function bash(root: CommandNode): string {
  const name = root.path[0]!;
  const fn = `_${name}_complete`;
  const branches = cases(root).map(
    ({words, node}) =>
      `    ${quote(words)}) children=${quote(childNames(node).join(' '))}; flags=${quote(flagNames(node).join(' '))} ;;`,
  );
  return `# bash completion for ${name}
${fn}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path=${quote(name)} children='' flags='' word index
  ${fn}_known() {
    children='' flags=''
    case "$1" in
${branches.join('\n').replace(/^ {4}/gm, '      ')}
      *) return 1 ;;
    esac
  }
  ${fn}_known "$path"
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ " $children " == *" $word "* ]]; then
      path="$path $word"
      ${fn}_known "$path"
    fi
  done
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n "$children" ]]; then
    COMPREPLY=($(compgen -W "$children" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F ${fn} ${name}
`;
}

function zsh(root: CommandNode): string {
  const name = root.path[0]!;
  const branches = cases(root).map(({words, node}) => {
    const children = node.children.map(child => quote(`${child.path.at(-1)!}:${oneLine(child.description)}`)).join(' ');
    return `    ${quote(words)}) children=(${children}); flags=(${flagNames(node).map(quote).join(' ')}) ;;`;
  });
  return `#compdef ${name}
# zsh completion for ${name}
_${name}_known() {
  children=() flags=()
  case "$1" in
${branches.join('\n')}
    *) return 1 ;;
  esac
}
_${name}() {
  local path=${quote(name)} index
  local -a children flags
  _${name}_known "$path"
  for ((index = 2; index < CURRENT; index++)); do
    if (( \${children[(I)\${words[index]}:*]} )); then
      path="$path \${words[index]}"
      _${name}_known "$path"
    fi
  done
  if [[ "\${words[CURRENT]}" == -* ]]; then
    compadd -- $flags
  elif (( $#children )); then
    _describe 'command' children
  else
    _files
  fi
}
compdef _${name} ${name}
`;
}

function fish(root: CommandNode): string {
  const name = root.path[0]!;
  const lines = cases(root).flatMap(({node}) => {
    const condition = fishCondition(node);
    const children = node.children.map(
      child =>
        `complete -c ${name} -n ${quote(condition)} -f -a ${quote(child.path.at(-1)!)} -d ${quote(oneLine(child.description))}`,
    );
    const flags = node.flags.map(flag => {
      const short = flag.short === undefined ? '' : ` -s ${flag.short.slice(1)}`;
      const long = flag.long === undefined ? '' : ` -l ${flag.long.slice(2)}`;
      return `complete -c ${name} -n ${quote(condition)}${short}${long}${flag.takesValue ? ' -r' : ''} -d ${quote(oneLine(flag.description))}`;
    });
    return [...children, ...flags];
  });
  return `# fish completion for ${name}
complete -c ${name} -e
${lines.join('\n')}
`;
}

function fishCondition(node: CommandNode): string {
  const seen = node.path.slice(1).map(word => `__fish_seen_subcommand_from ${word}`);
  const open = childNames(node).length === 0 ? [] : [`not __fish_seen_subcommand_from ${childNames(node).join(' ')}`];
  const all = [...seen, ...open];
  return all.length === 0 ? 'true' : all.join('; and ');
}

function powershell(root: CommandNode): string {
  const name = root.path[0]!;
  const list = (words: readonly string[]) => `@(${words.map(word => `'${word.replaceAll("'", "''")}'`).join(', ')})`;
  const branches = cases(root).map(
    ({words, node}) => `    '${words}' = @{Children = ${list(childNames(node))}; Flags = ${list(flagNames(node))}}`,
  );
  return `# powershell completion for ${name}
Register-ArgumentCompleter -Native -CommandName '${name}' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $known = @{
${branches.join('\n')}
  }
  $path = '${name}'
  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
    $word = $element.ToString()
    if ($element.Extent.EndOffset -lt $cursorPosition -and $known[$path].Children -contains $word) { $path = "$path $word" }
  }
  $words = if ($wordToComplete -like '-*') { $known[$path].Flags } else { $known[$path].Children }
  $words | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
