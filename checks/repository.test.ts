import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { files, getLine, isForTests, type Source, sources } from './sources.ts'

test('the lock file records no download addresses, so that any registry can serve it', () => {
  const [lock] = files('package-lock.json')
  const addresses = [...(lock?.text ?? '').matchAll(/"resolved": "https?:[^"]*"/g)].map(([address]) => address)

  expect(addresses, 'run: npm install --package-lock-only --omit-lockfile-registry-resolved').toEqual([])
})

test('the Debian package recommends the oldest restic that is documented', () => {
  const [control, docs] = [files('packaging/debian/control'), files('docs/backups.md')]
  const [, documented] = /Install restic (\d+\.\d+) or newer/.exec(docs[0]?.text ?? '') ?? []

  expect(documented).toBeDefined()
  expect(control[0]?.text).toMatch(new RegExp(`^Recommends:.*\\brestic \\(>= ${documented}\\)`, 'm'))
})

test('no file contains paths of a development machine', () => {
  // /home/container is the folder of a server in a container of Pterodactyl.
  const text = files(['*', '.ci/*', '{packages,checks,e2e,tools,docs,templates}/**/*.{ts,tsx,mjs,json,md,css,html}'])
  const found = text
    .filter(({ path }) => path !== 'package-lock.json')
    .flatMap(({ path, text: content }) =>
      [...content.matchAll(/(?<![\w.~-])\/(?:work|home(?!\/container\b)|root|Users)\/\w[\w./-]*/g)].map(
        ({ 0: folder, index }) => `${path}:${getLine(content, index)} says '${folder}': make it relative, or a setting`,
      ),
    )

  expect(found).toEqual([])
})

test('every package declares the libraries that its code imports, and no others', () => {
  const problems = files('packages/*/package.json').flatMap(({ path, text }) => {
    const folder = posix.dirname(path)
    const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Manifest
    const code = sources(`${folder}/{,src/**/,bin/}*.{ts,tsx,mjs}`)
    const product = code.filter((source) => !isForTests(source.path) && source.path.startsWith(`${folder}/src/`))
    const styles = files(`${folder}/src/**/*.css`).map((file) => file.text)
    const used = getLibraries(code)
    // Styles and files of a library are not module imports.
    const isUsed = (name: string) =>
      used.has(name.replace(/^@types\//, '')) ||
      [...styles, ...code.map((source) => source.text)].some((content) => new RegExp(`['"(]${name}/`).test(content))

    return [
      ...[...getLibraries(product)]
        .filter((name) => !Object.hasOwn(dependencies, name) && !Object.hasOwn(devDependencies, `@types/${name}`))
        .map((name) => `${path}: add ${name} to the dependencies`),
      ...Object.keys({ ...dependencies, ...devDependencies })
        .filter((name) => !isUsed(name))
        .map((name) => `${path}: remove ${name}, which nothing imports`),
    ]
  })

  expect(problems).toEqual([])
})

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The npm packages that files import. */
function getLibraries(code: readonly Source[]): ReadonlySet<string> {
  const names = code.flatMap(({ imports }) => imports.map(({ from }) => from))
  return new Set(
    names
      .filter((from) => !from.startsWith('.') && !from.startsWith('node:'))
      .map((from) => from.split('/', from.startsWith('@') ? 2 : 1).join('/')),
  )
}
