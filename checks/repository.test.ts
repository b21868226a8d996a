import { expect, test } from 'vitest'
import { files, lineOf } from './sources.ts'

test('the lock file records no download addresses, so that any registry can serve it', () => {
  const [lock] = files('package-lock.json')
  const addresses = [...(lock?.text ?? '').matchAll(/"resolved": "https?:[^"]*"/g)].map(([address]) => address)

  expect(addresses, 'run: npm install --package-lock-only --omit-lockfile-registry-resolved').toEqual([])
})

test('no file contains paths of a development machine', () => {
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
