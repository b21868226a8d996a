import { spawnSync } from 'node:child_process'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { exists, files, getLine, sources, type TextFile } from './sources.ts'

const pages = files(['*.md', 'docs/**/*.md', 'templates/*/README.md'])

test('links in documentation lead to existing files and sections', () => {
  expect(pages.flatMap(brokenLinks)).toEqual([])
})

test('the check finds a broken link', () => {
  const page = {
    path: 'docs/x.md',
    text: '# Title\n[a](../README.md) [b](missing.md) ![c](https://example.org/c.png) [d](#title) [e](#none)',
  }

  expect(brokenLinks(page)).toEqual([
    expect.stringContaining("docs/x.md:2 links to 'missing.md'"),
    expect.stringContaining("docs/x.md:2 links to '#none'"),
  ])
})

test('docs/README.md lists every page', () => {
  const [list] = files('docs/README.md')
  const missing = files('docs/*.md').filter(
    ({ path }) => path !== 'docs/README.md' && !list?.text.includes(`(${posix.basename(path)})`),
  )

  expect(missing.map(({ path }) => path)).toEqual([])
})

test('shell commands in documentation parse', () => {
  const broken = pages.flatMap((page) =>
    getBlocks(page, 'sh').flatMap(({ code, line }) => {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' })
      return status === 0 ? [] : [`${page.path}:${line}: ${stderr}`]
    }),
  )

  expect(broken).toEqual([])
})

test('shell commands in documentation are run by a test', () => {
  const tests = files(['packaging/testing/documentation.ts', 'packages/*/src/**/*.test.ts']).map(({ text }) => text)
  const isRun = ({ path }: TextFile) =>
    tests.some((text) => text.includes(`'${path}'`) || text.includes(`readCommands('${posix.basename(path)}')`))
  const pagesNotRun = files(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md']).filter((page) => {
    // Scripts of npm are checked below.
    const commands = getBlocks(page, 'sh').flatMap(({ code }) =>
      code.split('\n').filter((line) => !/^(npm .*)?$/.test(line)),
    )
    return commands.length > 0 && !isRun(page)
  })

  expect(
    pagesNotRun.map(({ path }) => path),
    'run them in packaging/testing/documentation.ts',
  ).toEqual([])
})

test('JSON in documentation parses', () => {
  const broken = files(['*.md', 'docs/**/*.md']).flatMap((page) =>
    getBlocks(page, 'json').flatMap(({ code, line }) => {
      try {
        JSON.parse(code)
        return []
      } catch (error) {
        return [`${page.path}:${line}: ${error}`]
      }
    }),
  )

  expect(broken).toEqual([])
})

test('npm scripts and programs in commands exist', () => {
  const [manifest] = files('package.json')
  const { scripts } = JSON.parse(manifest?.text ?? '{}') as { scripts: Record<string, string> }
  const known = [...Object.keys(scripts), 'install', 'ci']

  const unknown = files(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md']).flatMap((page) => {
    const named = [...page.text.matchAll(/(?<=`)npm (?:run )?([a-z][\w:-]*)/g)].map(([, name = '']) => name)
    const commands = getBlocks(page, 'sh').flatMap(({ code }) => code.split('\n'))
    const run = commands.flatMap((command) => /^npm (?:run )?([a-z][\w:-]*)/.exec(command)?.[1] ?? [])
    const programs = commands.flatMap((command) => /(?:^|\s)((?:tools|packages)\/[\w./-]+)/.exec(command)?.[1] ?? [])
    return [
      ...[...named, ...run].filter((name) => !known.includes(name)),
      ...programs.filter((path) => !exists(path)),
    ].map((name) => `${page.path} runs '${name}': the script or file does not exist`)
  })

  expect(unknown).toEqual([])
})

test('CI runs both test commands of CONTRIBUTING.md', () => {
  const [page] = files('CONTRIBUTING.md')
  const [ci] = files('.ci/run')

  expect(page?.text).toContain('| `npm test` |')
  expect(page?.text).toContain('| `npm run test:slow` |')
  expect(ci?.text).toContain('for script in test test:slow; do')
})

test('docs/architecture.md shows every folder of the packages', () => {
  const [page] = files('docs/architecture.md')
  const folders = files('packages/{contract,cli,panel,daemon,web}/src/*/**/*.{ts,tsx}').map(
    ({ path }) => path.split('/')[3],
  )

  expect([...new Set(folders)].filter((folder) => !page?.text.includes(` ${folder}/`))).toEqual([])
})

test('the tree in docs/architecture.md shows only existing folders', () => {
  const [page] = files('docs/architecture.md')
  const [, tree = ''] = /## The tree\n+```text\n(.*?)```/s.exec(page?.text ?? '') ?? []
  let source = ''
  const shown = tree.split('\n').flatMap((line) => {
    const [, folder, name] = /^(\w+)\/|^ {2}(\w+)\/src\//.exec(line) ?? []
    if (folder) return [folder]
    if (name) source = `packages/${name}/src`
    // Some lines show two folders.
    return [source, ...[...line.matchAll(/ {3,}([\w-]+)\/(?= )/g)].map(([, child]) => `${source}/${child}`)]
  })

  expect(shown.length).toBeGreaterThan(80)
  expect([...new Set(shown)].filter((path) => path !== '' && !exists(path))).toEqual([])
})

test('files and folders named in documentation exist', () => {
  const missing = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:packages|templates|checks|tools|docs|e2e)\/[\w./-]+)`/g)]
      .filter(([, named = '']) => !exists(named))
      .map(({ 1: named, index }) => `${path}:${getLine(text, index)} names '${named}': the file does not exist`),
  )

  expect(missing).toEqual([])
})

test('decision records have a number of their own, a status and three sections, and are in the index in order', () => {
  const records = files('docs/decisions/0*.md')
  const [index] = files('docs/decisions/README.md')

  const rows = records.map(({ path, text }) => {
    const name = posix.basename(path)
    const [, number = '', title = ''] =
      /^# (\d+)\. (.+)\n\nStatus: (?:accepted|superseded by \[.+\]\(.+\))\n/.exec(text) ?? []
    expect(name).toMatch(new RegExp(`^${number.padStart(4, '0')}-[a-z0-9-]+\\.md$`))
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, part]) => part)).toEqual(['Context', 'Decision', 'Consequences'])
    return `| ${number} | [${title}](${name}) |`
  })

  expect([...(index?.text ?? '').matchAll(/^\| \d+ \| .*?\) \|/gm)].map(([row]) => row)).toEqual(rows)
  expect(new Set(rows.map((row) => row.split(' ')[1])).size).toBe(records.length)
})

test('docs/configuration.md documents exactly the existing settings', () => {
  const [config] = sources('packages/cli/src/installation/config.ts')
  const [page] = files('docs/configuration.md')
  const settings: string[] = []
  config?.visit({
    VariableDeclarator({ id, init }) {
      if (id.type !== 'Identifier' || id.name !== 'settings') return
      const table = init?.type === 'TSAsExpression' ? init.expression : init
      if (table?.type !== 'ObjectExpression') return
      for (const property of table.properties) {
        if (property.type === 'Property' && property.key.type === 'Identifier') settings.push(property.key.name)
      }
    },
  })
  const variables = settings.map(
    (name) => `INNKEEPER_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
  )
  const rows = (page?.text ?? '').split('\n').filter((line) => line.startsWith('| `'))
  const explained = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/INNKEEPER_[A-Z_]+(?=`)/g) ?? [])

  expect(variables).not.toEqual([])
  expect(
    explained.sort(),
    'docs/configuration.md has a row for each setting of packages/cli/src/installation/config.ts',
  ).toEqual(variables.sort())
})

interface Block {
  readonly code: string
  readonly line: number
}

/** The fenced code blocks of a language, without their indentation in a list. */
function getBlocks({ text }: TextFile, language: string): Block[] {
  return [...text.matchAll(/^( *)```(\w+)\n(.*?)^ *```$/gms)]
    .filter(([, , name]) => name === language)
    .map(({ 1: indent = '', 3: code = '', index }) => ({
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: getLine(text, index),
    }))
}

function brokenLinks({ path, text }: TextFile): string[] {
  const prose = withoutCode(text)
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .filter(([, target = '']) => !/^(https?:|mailto:)/.test(target))
    .filter(([, target = '']) => !linkTargetExists(path, text, target))
    .map(
      ({ 1: target, index }) =>
        `${path}:${getLine(text, index)} links to '${target}': the file or section does not exist`,
    )
}

function linkTargetExists(path: string, text: string, target: string): boolean {
  const [file = '', section] = target.split('#')
  const linked = file === '' ? path : posix.join(posix.dirname(path), file)
  if (file !== '' && !exists(linked)) return false
  if (section === undefined) return true
  const page = file === '' ? text : files(linked)[0]?.text
  return page !== undefined && parseAnchors(page).includes(section)
}

/** The anchors of headings, as GitHub and the app create them. */
function parseAnchors(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function withoutCode(text: string): string {
  return text.replace(/```.*?```/gs, (code) => code.replace(/[^\n]/g, ' '))
}
