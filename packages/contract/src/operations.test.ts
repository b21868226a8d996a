import { expect, test } from 'vitest'
import { rightOfStep, stepFields, stepTypes } from './operations.ts'

test('every step type requires a permission, and an unknown type requires admin', () => {
  expect(rightOfStep({ type: 'teleport' })).toBe('admin')
  expect(rightOfStep({ type: 'constructor' })).toBe('admin')
  for (const type of stepTypes) expect(rightOfStep({ type })).toBeTruthy()
})

test('a user who may resolve a version may not set an arbitrary variable with it', () => {
  expect(rightOfStep({ type: 'resolveforgeversion', minecraftVersion: '1.20' })).toBe('editServerData')
  expect(rightOfStep({ type: 'resolveforgeversion', outputVariable: 'opForgeVersion' })).toBe('editServerData')
  for (const outputVariable of ['memory', '${name}', 7])
    expect(rightOfStep({ type: 'resolveforgeversion', outputVariable })).toBe('admin')
})

test('fields of a step have defaults and are parsed leniently', () => {
  expect(stepFields.mojangdl.parse({ type: 'x' })).toMatchObject({ version: 'release', target: 'server.jar' })
  expect(stepFields.javadl.parse({ version: 21 }).version).toBe('21')
  expect(stepFields.steamgamedl.parse({ appId: 740, extraArgs: '-os  windows' })).toMatchObject({
    ...{ appId: '740', username: '', extraArgs: ['-os', 'windows'] },
  })
  expect(stepFields.curseforge.parse({ projectId: 1, fileId: 0 })).toMatchObject({ projectId: '1', java: 'java' })
})
