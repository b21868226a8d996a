import type { Environment } from '@innkeeper/contract/definition'
import { expect, test } from 'vitest'
import { applyDockerForm, newPort, toDockerForm, validateDockerForm } from './docker-form.ts'

const environment: Environment = {
  type: 'docker',
  image: 'java:${version}',
  bindings: { '/srv/maps': '/pufferpanel/maps' },
  portBindings: ['0.0.0.0:${port}:25565/udp', '8000-8010:8000-8010/tcp'],
  labels: { a: 'b' },
}

test('an environment that is only looked at stays as it is', () => {
  const form = toDockerForm(environment)

  expect(form).toMatchObject({ networkMode: 'host', networkName: '', otherPorts: ['8000-8010:8000-8010/tcp'] })
  expect(applyDockerForm(environment, form)).toEqual(environment)
  expect(applyDockerForm({ type: 'docker' }, toDockerForm({ type: 'docker' }))).toEqual({ type: 'docker' })
})

test('what is changed is changed, and what the form does not show stays', () => {
  const form = toDockerForm(environment)
  const ports = [{ ...newPort(form.ports), outside: '80', inside: ' 8080 ' }, newPort(form.ports)]
  const bindings = [{ key: 0, outside: '', inside: '' }]

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

test('what the node would refuse is told at its field', () => {
  const form = toDockerForm(environment)
  const row = newPort(form.ports)

  expect([...validateDockerForm(form)]).toEqual([])
  const wrong = {
    ...form,
    image: 'a b',
    networkMode: 'macvlan',
    bindings: [
      { key: 0, outside: 'maps', inside: '/maps' },
      { key: 1, outside: '/a', inside: '' },
      { key: 2, outside: '/${own}', inside: '/a' },
      { key: 3, outside: '', inside: '' },
    ],
    ports: [
      { ...row, key: 0, outside: '70000', inside: '1' },
      { ...row, key: 1, outside: '1', inside: '' },
      { ...row, key: 2, outside: '${port}', inside: '1' },
      { ...row, key: 3, host: 'a:b', outside: '1', inside: '1' },
      { ...row, key: 4 },
    ],
  }
  expect([...validateDockerForm(wrong).keys()]).toEqual([
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
