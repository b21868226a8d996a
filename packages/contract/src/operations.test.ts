import { expect, test } from 'vitest'
import { permissionOfStep, stepFields, stepTypes } from './operations.ts'

test('every step type requires a permission, and an unknown type requires admin', () => {
  expect(permissionOfStep({ type: 'teleport' })).toBe('admin')
  expect(permissionOfStep({ type: 'constructor' })).toBe('admin')
  for (const type of stepTypes) expect(permissionOfStep({ type })).toBeTruthy()
})

test('a user who may resolve a version may not set an arbitrary variable with it', () => {
  expect(permissionOfStep({ type: 'resolveforgeversion', minecraftVersion: '1.20' })).toBe('editServerData')
  expect(permissionOfStep({ type: 'resolveforgeversion', outputVariable: 'opForgeVersion' })).toBe('editServerData')
  for (const outputVariable of ['memory', '${name}', 7])
    expect(permissionOfStep({ type: 'resolveforgeversion', outputVariable })).toBe('admin')
})

test('fields of a step have defaults and are parsed leniently', () => {
  expect(stepFields.mojangdl.parse({ type: 'x' })).toMatchObject({ version: 'release', target: 'server.jar' })
  expect(stepFields.javadl.parse({ version: 21 }).version).toBe('21')
  expect(stepFields.steamgamedl.parse({ appId: 740, extraArgs: '-os  windows' })).toMatchObject({
    ...{ appId: '740', username: '', extraArgs: ['-os', 'windows'] },
  })
  expect(stepFields.curseforge.parse({ projectId: 1, fileId: 0 })).toMatchObject({ projectId: '1', java: 'java' })
})
