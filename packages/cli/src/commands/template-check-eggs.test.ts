import { expect, test } from 'vitest'
import { ImportFixture } from '../testing/import-fixture.ts'
import { runCommand } from '../testing/run-command.ts'

const egg = (name: string, more: object = {}) => ({
  meta: { version: 'PTDL_v2' },
  name,
  startup: './game {{SERVER_PORT}}',
  docker_images: { Game: 'example.org/game:1' },
  scripts: { installation: { script: 'true', container: 'example.org/installer:1', entrypoint: 'bash' } },
  ...more,
})

async function check(eggs: Readonly<Record<string, object | string>>, ...args: string[]) {
  await using fixture = await ImportFixture.create()
  for (const [file, content] of Object.entries(eggs)) await fixture.write(`eggs/${file}`, content)
  return await runCommand(['template', 'check-eggs', fixture.path('eggs'), ...args], fixture.env)
}

test('eggs that can be installed and run are only counted', async () => {
  const { code, out } = await check({ 'a.json': egg('A'), 'below/b.json': egg('B'), 'package.json': '{}' })

  expect(out).toMatch(/^files that are no eggs: \S+package\.json\n/)
  expect(out).toMatch(/\n2 eggs: 2 imported, 2 installable, 2 runnable, 2 without a note of weight\n$/)
  expect(code).toBe(0)
})

test('what is wrong with an egg is listed, and the exit code says so', async () => {
  const eggs = {
    'broken.json': egg('Broken', { variables: [{ env_variable: 'no name' }] }),
    'bare.json': egg('Bare', { docker_images: {}, startup: '' }),
    'image.json': egg('Image', { scripts: { installation: { script: 'true', container: 'not an image' } } }),
    'file.json': egg('File', { config: { files: { 'x.nbt': { parser: 'nbt', find: { a: '1' } } } } }),
  }

  const { code, out } = await check(eggs, '--json')

  const { totals, eggs: reports } = JSON.parse(out)
  expect(totals).toEqual({ eggs: 4, imported: 3, installable: 2, runnable: 2, withoutNotes: 0 })
  expect(reports).toMatchObject([
    { name: 'Bare', imported: true, installable: true, runnable: false },
    { name: 'Broken', imported: false, notes: [expect.stringContaining('env_variable')] },
    { name: 'File', runnable: true, notes: ['the file x.nbt is not changed before a start'] },
    {
      name: 'Image',
      installable: false,
      runnable: true,
      notes: ['the install script has no valid image: not an image'],
    },
  ])
  expect(code).toBe(1)
})

test('notes without weight are listed on request', async () => {
  const eggs = { 'a.json': egg('A', { config: { startup: { done: 'regex:(?=x)' } } }) }

  const [plain, all] = [await check(eggs), await check(eggs, '--all')]

  expect(plain.out).not.toContain('online')
  expect(all.out).toMatch(/^A: ok \(\S+a\.json\)\n {2}its servers count as online/)
})
