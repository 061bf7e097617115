import { type ConfigOption, configOptions } from './options.ts';

const HEADER = '<!-- Made from the configuration schema by `npm run generate`; edit the schema instead. -->';

/** The reference page: every option with its environment name, what it accepts, its default and its meaning. */
export function configurationPage(): string {
  const sections = new Map<string, ConfigOption[]>();
  for (const option of configOptions()) {
    const section = option.path.split('.')[0] ?? '';
    sections.set(section, [...(sections.get(section) ?? []), option]);
  }
  const parts = [...sections].map(([section, options]) => [`## ${section}`, '', ...table(options)].join('\n'));
  return [
    HEADER,
    '# Configuration',
    '',
    'One file in YAML or JSON, named by `hephaisto run --config FILE`. Every option can also be set by its environment variable,',
    'which wins over the file. Unknown options, wrong types and contradictions are refused at start (exit code 2), each with its',
    'path. Durations are written as `250ms`, `30s`, `10m`, `2h`, `14d`; sizes as `512KiB`, `4MiB`. In a variable a list of text is',
    'separated by commas and a list of objects is JSON.',
    '',
    parts.join('\n\n'),
    '',
  ].join('\n');
}

function table(options: readonly ConfigOption[]): readonly string[] {
  return [
    '| option | variable | accepts | default | meaning |',
    '|---|---|---|---|---|',
    ...options.map(
      (o) =>
        `| \`${o.path}\` | \`${o.env}\` | ${o.accepts} | ${defaultOf(o)} | ${o.description.replaceAll('|', '\\|')} |`,
    ),
  ];
}

function defaultOf(option: ConfigOption): string {
  return option.byDefault === undefined ? '–' : `\`${JSON.stringify(option.byDefault)}\``;
}

/** The example file: every option with its default, those without one commented out. */
export function exampleFile(): string {
  const lines = ['# Every option with its default. Made from the configuration schema by `npm run generate`.'];
  let open: readonly string[] = [];
  const options = configOptions();
  for (const option of options) {
    const path = option.path.split('.');
    const parents = path.slice(0, -1);
    parents.forEach((part, depth) => {
      if (open[depth] === part && parents.slice(0, depth).every((p, i) => open[i] === p)) return;
      // A header above nothing but comments would set the section to nothing.
      const mark = setsSomething(options, parents.slice(0, depth + 1)) ? '' : '# ';
      lines.push(`${'  '.repeat(depth)}${mark}${part}:`);
      open = parents.slice(0, depth + 1);
    });
    open = parents;
    const indent = '  '.repeat(path.length - 1);
    lines.push(`${indent}# ${option.description}`, `${indent}${exampleLine(option, path.at(-1) ?? '')}`);
  }
  return `${lines.join('\n')}\n`;
}

function setsSomething(options: readonly ConfigOption[], section: readonly string[]): boolean {
  return options.some((option) => option.byDefault !== undefined && option.path.startsWith(`${section.join('.')}.`));
}

function exampleLine(option: ConfigOption, key: string): string {
  return option.byDefault === undefined
    ? `# ${key}: # ${option.accepts.replaceAll('`', '')}`
    : `${key}: ${JSON.stringify(option.byDefault)}`;
}
