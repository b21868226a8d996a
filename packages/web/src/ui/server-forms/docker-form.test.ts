import type { Environment } from '@innkeeper/contract/definitions/definition'
import { expect, test } from 'vitest'
import { applyDockerForm, newPort, toDockerForm, validateDockerForm } from './docker-form.ts'

const environment: Environment = {
  type: 'docker',
  image: 'java:${version}',
  bindings: { '/srv/maps': '/pufferpanel/maps' },
  portBindings: ['0.0.0.0:${port}:25565/udp', '8000-8010:8000-8010/tcp'],
  labels: { a: 'b' },
}

test('an unchanged form keeps the environment', () => {
  const form = toDockerForm(environment)

  expect(form).toMatchObject({ networkMode: 'host', networkName: '', otherPorts: ['8000-8010:8000-8010/tcp'] })
  expect(applyDockerForm(environment, form)).toEqual(environment)
  expect(applyDockerForm({ type: 'docker' }, toDockerForm({ type: 'docker' }))).toEqual({ type: 'docker' })
})

test('changes are applied, and fields that the form does not show are kept', () => {
  const form = toDockerForm(environment)
  const ports = [{ ...newPort(form.ports), outside: '80', inside: ' 8080 ' }, newPort(form.ports)]
  const bindings = [{ id: 0, hostPath: '', containerPath: '' }]

  expect(applyDockerForm(environment, { ...form, image: ' java:21 ', networkMode: 'bridge', ports, bindings })).toEqual(
    {
      ...environment,
      image: 'java:21',
      networkMode: 'bridge',
      bindings: {},
      portBindings: ['0.0.0.0:80:8080/tcp', '8000-8010:8000-8010/tcp'],
    },
  )
})

test('settings of an image with its own start are changed and removed', () => {
  const own = {
    ...environment,
    commandAs: 'variable',
    containerRoot: '/home/container',
    folders: { '/config:ro': 'config' },
    user: 'image',
    readOnlyRoot: true,
    tmpfs: { '/tmp': '1m' },
  }
  const form = toDockerForm(own)

  expect(applyDockerForm(own, form)).toEqual(own)
  const changes = {
    commandAs: 'arguments',
    containerRoot: ' /data ',
    isImageUser: false,
    isRootReadOnly: false,
  } as const
  expect(applyDockerForm(own, { ...form, ...changes, folders: [] })).toEqual({
    ...own,
    commandAs: 'arguments',
    containerRoot: '/data',
    folders: {},
    user: '',
    readOnlyRoot: false,
  })
  const tmpfs = [
    { id: 0, containerPath: '/tmp', size: ' 64m ' },
    { id: 1, containerPath: ' /run ', size: '1024' },
    { id: 2, containerPath: '', size: '' },
  ]
  expect(applyDockerForm(own, { ...form, tmpfs }).tmpfs).toEqual({ '/tmp': '64m', '/run': '1024' })
  const wrong = {
    ...form,
    containerRoot: 'data',
    folders: [{ id: 4, containerPath: '/a', folder: '../b' }],
    tmpfs: [...tmpfs, { id: 5, containerPath: '/a', size: 'big' }, { id: 6, containerPath: 'a', size: '1m' }],
  }
  expect([...validateDockerForm(wrong).keys()]).toEqual(['containerRoot', 'folder-4', 'tmpfs-5', 'tmpfs-6'])
})

test('values that the node would refuse are errors of their fields', () => {
  const form = toDockerForm(environment)
  const row = newPort(form.ports)

  expect([...validateDockerForm(form)]).toEqual([])
  const invalid = {
    ...form,
    image: 'a b',
    networkMode: 'macvlan',
    bindings: [
      { id: 0, hostPath: 'maps', containerPath: '/maps' },
      { id: 1, hostPath: '/a', containerPath: '' },
      { id: 2, hostPath: '/${own}', containerPath: '/a' },
      { id: 3, hostPath: '', containerPath: '' },
    ],
    ports: [
      { ...row, id: 0, outside: '70000', inside: '1' },
      { ...row, id: 1, outside: '1', inside: '' },
      { ...row, id: 2, outside: '${port}', inside: '1' },
      { ...row, id: 3, host: 'a:b', outside: '1', inside: '1' },
      { ...row, id: 4 },
    ],
  }
  expect([...validateDockerForm(invalid).keys()]).toEqual([
    'image',
    'networkName',
    'binding-0',
    'binding-1',
    'binding-2',
    'port-0',
    'port-1',
    'port-3',
  ])
})
