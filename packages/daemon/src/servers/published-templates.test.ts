import { getContainerConfig } from '@innkeeper/contract/definitions/container'
import { Definition, getEnvironment, getEnvironments } from '@innkeeper/contract/definitions/definition'
import { published } from '@innkeeper/contract/testing/published/published'
import { describe, expect, test } from 'vitest'
import { checkSteps } from '../operations/steps.ts'
import { conditionContext, readCommandLine, templateVariables } from './launch/launch.ts'

const id = '0a0a0a0a'

test('every template published by PufferPanel has a counterpart here', () => {
  expect(Object.entries(published).map(([set, all]) => [set, all.length])).toEqual([
    ['June 2021', 41],
    ['July 2024', 94],
    ['October 2024', 36],
    ['before, between and after', 54],
  ])
})

describe.each(Object.entries(published))('of %s', (_, set) => {
  test.each(set)('a node meets the requirements of $name', async ({ definition: written }) => {
    const definition = Definition.parse(written)
    const values = templateVariables(definition, { id, rootDir: '/srv/0a0a0a0a' })
    const { install, uninstall, run } = definition

    for (const steps of [install, uninstall, run.pre, run.post]) checkSteps(steps ?? [], values)
    const shapes = getEnvironments(definition)
      .filter(({ type }) => type === 'docker')
      .map((container) => getContainerConfig(container, definition.data, values))
    const { file } = await readCommandLine(definition, {
      ...conditionContext(definition, { id }),
      values,
      success: true,
      fileExists: async () => false,
      inPath: async () => false,
    })

    expect(file).not.toBe('')
    expect(shapes.map(({ image }) => image).filter((image) => image.includes('${'))).toEqual([])
    expect(getEnvironment(definition).type).not.toBe('')
  })
})
