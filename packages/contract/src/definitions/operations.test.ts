import { expect, test } from 'vitest'
import { issuesOfStep, permissionOfStep, stepFields, stepTypes } from './operations.ts'

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

test('a script for a container needs an image, a harmless mount point and a time limit', () => {
  const step = { type: 'dockerrun', image: 'debian:12', script: 'echo ${X}\r\n' }

  expect(stepFields.dockerrun.parse(step)).toMatchObject({
    ...{ entrypoint: 'bash', script: 'echo ${X}\n', mount: '/mnt/server', timeout: 3600 },
  })
  expect(issuesOfStep(step)).toEqual([])
  expect(issuesOfStep({ type: 'dockerrun', image: ' ', mount: '/etc/x', timeout: '1h' })).toEqual([
    { field: 'image', problem: 'missing' },
    { field: 'script', problem: 'missing' },
    { field: 'mount', problem: 'wrong' },
    { field: 'timeout', problem: 'wrong' },
  ])
  for (const mount of ['/', '/mnt/../usr/share', '/proc', 'server', '/a:ro', '/lib64'])
    expect(issuesOfStep({ ...step, mount }), mount).toEqual([{ field: 'mount', problem: 'wrong' }])
  expect(issuesOfStep({ ...step, mount: '/data' })).toEqual([])
})

test('fields of a step have defaults and are parsed leniently', () => {
  expect(stepFields.mojangdl.parse({ type: 'x' })).toMatchObject({ version: 'release', target: 'server.jar' })
  expect(stepFields.javadl.parse({ version: 21 }).version).toBe('21')
  expect(stepFields.steamgamedl.parse({ appId: 740, extraArgs: '-os  windows' })).toMatchObject({
    ...{ appId: '740', username: '', extraArgs: ['-os', 'windows'] },
  })
  expect(stepFields.curseforge.parse({ projectId: 1, fileId: 0 })).toMatchObject({ projectId: '1', java: 'java' })
})
