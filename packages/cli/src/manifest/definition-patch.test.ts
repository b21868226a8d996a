import type { Definition } from '@innkeeper/contract/definitions/definition'
import { expect, test } from 'vitest'
import { definitionPatch, getSettings, normalized, withSettings } from './definition-patch.ts'
import { differences } from './differences.ts'
import { secretPlaceholder, withoutSecrets, withSecrets } from './secrets.ts'

const template = {
  type: 'minecraft',
  display: 'Minecraft',
  data: { port: { type: 'integer', value: 1 }, motd: { type: 'string', value: 'A' } },
  install: [{ type: 'mkdir', target: 'a' }],
  run: { command: 'java', stop: 'stop' },
} as unknown as Definition

test('a server that only has other values has no patch', () => {
  const server = { ...template, id: '0123abcd', data: { ...template.data, motd: { type: 'string', value: 'B' } } }

  expect(definitionPatch(template, server)).toBeUndefined()
})

test('a patch restores what differs from the template, and keeps values', () => {
  const server = normalized({
    ...template,
    display: undefined,
    data: { port: { type: 'integer', value: 7, min: 1 }, seed: { type: 'string', value: 'x' } },
    run: { command: 'java -jar', autostart: true, restartWhenNotResponding: true },
    environment: { type: 'docker', image: 'a', limits: { memory: '512' } },
    custom: { a: 1 },
  })

  const patch = definitionPatch(template, server)
  const restored = withSettings({ ...template }, { ...getSettings(server), ...(patch ? { definition: patch } : {}) })

  expect(patch).toEqual({
    custom: { a: 1 },
    data: { motd: null, port: { type: 'integer', min: 1 }, seed: { type: 'string' } },
    display: null,
    run: { command: 'java -jar', stop: null },
  })
  expect(getSettings(server)).toEqual({
    environment: { type: 'docker', image: 'a' },
    limits: { memory: 512 },
    autostart: true,
    restartWhenNotResponding: true,
  })
  expect(normalized(restored)).toEqual(
    normalized({ ...server, data: { port: { type: 'integer', value: 1, min: 1 }, seed: { type: 'string' } } }),
  )
})

test('limits change without the rest of the environment, and the other way round', () => {
  const server = { ...template, environment: { type: 'docker', image: 'a', limits: { memory: 512 } } }

  expect(withSettings(server, { limits: { cpu: 50 } }).environment).toEqual({
    type: 'docker',
    image: 'a',
    limits: { cpu: 50 },
  })
  expect(withSettings(server, { environment: { type: 'standard' } }).environment).toEqual({
    type: 'standard',
    limits: { memory: 512 },
  })
})

test('differences name each field, and hide secrets', () => {
  const before = { a: { b: 1, c: [1, 2] }, rconpassword: 'tiger', same: null }
  const after = { a: { b: 2, c: [1, 3] }, rconpassword: 'lion', same: [], more: 'x' }

  expect(differences(before, after)).toEqual([
    'a.b: 1 → 2',
    'a.c.2: 2 → 3',
    'rconpassword: (secret) → (secret)',
    'more: nothing → "x"',
  ])
})

test('secrets are left out, and restored from the current values', () => {
  const current = { data: { token: { type: 'string', value: 'x' }, motd: { value: 'y' } }, env: [{ API_KEY: 'z' }] }

  const hidden = withoutSecrets(current)

  expect(hidden).toEqual({
    data: { token: { type: 'string', value: secretPlaceholder }, motd: { value: 'y' } },
    env: [{ API_KEY: secretPlaceholder }],
  })
  expect(withSecrets(hidden, current)).toEqual(current)
  expect(withSecrets(hidden, undefined)).toEqual({
    data: { token: { type: 'string' }, motd: { value: 'y' } },
    env: [{}],
  })
})
