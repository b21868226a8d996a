import { Template } from '@innkeeper/contract/definitions/definition'
import { getUnmetSystem } from '@innkeeper/contract/nodes/node-support'
import { expect, test } from 'vitest'
import { aNodeChoice } from '../../testing/samples.ts'
import { emptyDraft } from './draft.ts'
import { checkRequirements, getDownloadedPrograms } from './requirements.ts'

const template = Template.parse({
  type: 'game',
  requirements: { os: 'linux||darwin', arch: 'arm64', binaries: ['openttd||ottd'] },
  run: { command: 'openttd' },
  supportedEnvironments: [{ type: 'docker' }, { type: 'standard' }],
})
const features = { features: [], environments: ['standard'], os: 'linux', arch: 'arm64', version: '1' }
const arm = aNodeChoice({ id: 4, name: 'Arm', features })
const statuses = (
  draft: Parameters<typeof checkRequirements>[1],
  nodes: Parameters<typeof checkRequirements>[2],
  missing: ReadonlyMap<number, readonly string[]> = new Map(),
) =>
  checkRequirements(template, draft, nodes, missing).map(({ type, status, nodes: names }) => [type, status, ...names])

test('without a selected node a requirement is met when one online node meets it', () => {
  expect(statuses(emptyDraft, [aNodeChoice(), arm])).toEqual([
    ['os', 'met', 'LocalNode', 'Arm'],
    ['arch', 'met', 'Arm'],
    ['environments', 'met', 'LocalNode', 'Arm'],
    ['binary', 'unknown'],
  ])
})

test('with a selected node only that node counts', () => {
  const checked = statuses({ ...emptyDraft, node: aNodeChoice().id }, [aNodeChoice(), arm])

  expect(checked).toContainEqual(['arch', 'unmet', 'LocalNode'])
})

test('a program is met by the nodes that have it, and unmet when no node that answered has it', () => {
  const local = aNodeChoice()
  const program = (draft: typeof emptyDraft, missing: ReadonlyMap<number, readonly string[]>) =>
    statuses(draft, [local, arm], missing).at(-1)
  const lacking = ['openttd||ottd']

  expect(
    program(
      emptyDraft,
      new Map([
        [arm.id, []],
        [local.id, lacking],
      ] as const),
    ),
  ).toEqual(['binary', 'met', 'Arm'])
  expect(program({ ...emptyDraft, node: local.id }, new Map([[local.id, lacking]]))).toEqual([
    'binary',
    'unmet',
    'LocalNode',
  ])
})

test('without an online node nothing is known', () => {
  const checked = statuses(emptyDraft, [aNodeChoice({ online: false })])

  expect(checked.map(([, status]) => status)).toEqual(['unknown', 'unknown', 'unknown', 'unknown'])
})

test('a node of another architecture does not meet the requirements, and one that reports nothing is not rejected', () => {
  expect(getUnmetSystem(template, aNodeChoice().features)).toEqual({
    type: 'arch',
    actual: 'amd64',
    alternatives: ['arm64'],
  })
  expect(getUnmetSystem(template, features)).toBeUndefined()
  expect(getUnmetSystem(template, undefined)).toBeUndefined()
})

test('programs that are downloaded during installation are listed once, with the version that the template sets', () => {
  const java = Template.parse({
    type: 'minecraft-java',
    install: [
      { type: 'javadl', version: '${javaversion}' },
      { type: 'javadl', version: '${javaversion}' },
      { type: 'nodejsdl', version: '22' },
      { type: 'javadl', version: '${unknown}' },
      { type: 'command', commands: ['true'] },
    ],
    data: { javaversion: { value: '21' } },
    run: { command: 'java' },
  })

  expect(getDownloadedPrograms(java)).toEqual(['Java 21', 'Node.js 22', 'Java'])
})
