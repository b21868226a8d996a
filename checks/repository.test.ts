import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { exists, files, lineOf, sources, type TextFile } from './sources.ts'

const pages = files(['*.md', 'docs/**/*.md', 'templates/*/README.md'])

test('the lock file records no download addresses, so that any registry can serve it', () => {
  const [lock] = files('package-lock.json')
  const addresses = [...(lock?.text ?? '').matchAll(/"resolved": "https?:[^"]*"/g)].map(([address]) => address)

  expect(addresses, 'run: npm install --package-lock-only --omit-lockfile-registry-resolved').toEqual([])
})

test('the commands that the pages name exist', () => {
  const [manifest] = files('package.json')
  const { scripts } = JSON.parse(manifest?.text ?? '{}') as { scripts: Record<string, string> }

  const unknown = files(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md']).flatMap(({ path, text }) =>
    [...text.matchAll(/(?<=`|^ {4}|^\| `)npm (?:run )?([a-z][\w:-]*)/gm)]
      .filter(([, name = '']) => !Object.hasOwn(scripts, name) && !['install', 'ci'].includes(name))
      .map(
        ({ 0: command, index }) => `${path}:${lineOf(text, index)} says '${command}': package.json has no such script`,
      ),
  )

  expect(unknown).toEqual([])
})

test('continuous integration runs both test commands of the README', () => {
  const [readme] = files('README.md')
  const [ci] = files('.ci/run')

  expect(readme?.text).toMatch(/^ {4}npm test$/m)
  expect(readme?.text).toMatch(/^ {4}npm run test:slow$/m)
  expect(ci?.text).toContain('for script in test test:slow; do')
})

test('links of the pages lead somewhere', () => {
  expect(pages.flatMap(brokenLinks)).toEqual([])
})

test('files and folders that the pages name exist', () => {
  const gone = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:packages|templates|checks|tools|docs|e2e)\/[\w./-]+)`/g)]
      .filter(([, named = '']) => !exists(named))
      .map(({ 1: named, index }) => `${path}:${lineOf(text, index)} names '${named}': there is no such file`),
  )

  expect(gone).toEqual([])
})

test('a link into the void is noticed', () => {
  const page = { path: 'docs/x.md', text: '[a](../README.md) [b](missing.md) ![c](https://example.org/c.png)' }

  expect(brokenLinks(page)).toEqual([expect.stringContaining("docs/x.md:1 links to 'missing.md'")])
})

test('decision records are numbered without a gap, have a status and three parts, and are in the index', () => {
  const records = files('docs/decisions/0*.md')
  const [index] = files('docs/decisions/README.md')

  expect(records).not.toEqual([])
  records.forEach(({ path, text }, at) => {
    const name = posix.basename(path)
    const [, title = ''] = /^# \d+\. (.+)\n\nStatus: (?:accepted|superseded by \[.+\]\(.+\))\n/.exec(text) ?? []
    expect(name).toMatch(new RegExp(`^${String(at + 1).padStart(4, '0')}-[a-z0-9-]+\\.md$`))
    expect(index?.text).toContain(`| ${at + 1} | [${title}](${name}) |`)
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, part]) => part)).toEqual(['Context', 'Decision', 'Consequences'])
  })
})

test('every setting is explained, and nothing else', () => {
  const [config] = sources('packages/cli/src/config.ts')
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
  expect(explained.sort(), 'docs/configuration.md has a row for each setting of packages/cli/src/config.ts').toEqual(
    variables.sort(),
  )
})

test('no file knows the folders of the machine it was written on', () => {
  const text = files(['*', '.ci/*', '{packages,checks,e2e,tools,docs,templates}/**/*.{ts,tsx,mjs,json,md,css,html}'])
  const found = text
    .filter(({ path }) => path !== 'package-lock.json')
    .flatMap(({ path, text: content }) =>
      [...content.matchAll(/(?<![\w.~-])\/(?:work|home|root|Users)\/\w[\w./-]*/g)].map(
        ({ 0: folder, index }) => `${path}:${lineOf(content, index)} says '${folder}': make it relative, or a setting`,
      ),
    )

  expect(found).toEqual([])
})

function brokenLinks({ path, text }: TextFile): string[] {
  const prose = text.replace(/```.*?```/gs, (code) => code.replace(/[^\n]/g, ' '))
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .filter(([, target = '']) => !/^(https?:|mailto:|#)/.test(target))
    .filter(([, target = '']) => !exists(posix.join(posix.dirname(path), target.replace(/#.*$/, ''))))
    .map(({ 1: target, index }) => `${path}:${lineOf(text, index)} links to '${target}': there is no such file`)
}
