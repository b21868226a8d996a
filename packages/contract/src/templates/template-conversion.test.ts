import { expect, test } from 'vitest'
import { splitCommand } from '../definitions/command-line.ts'
import { getCommand, Template } from '../definitions/definition.ts'
import { Refusal } from '../errors/refusals.ts'
import { unusable } from '../testing/published/further.ts'
import { convertTemplate, getSlug, isOldTemplate } from './template-conversion.ts'

const old = {
  pufferd: {
    type: 'minecraft-java',
    display: 'Spïgot – Minecraft!',
    data: { memory: { value: '1024', required: true, desc: 'in MB' } },
    install: { commands: [{ type: 'command', commands: ['cp a ${rootdir}/b', 'echo ${rootdir}'] }] },
    uninstall: { commands: [{ type: 'mkdir', target: '${rootdir}/x' }] },
    run: {
      program: 'java',
      arguments: ['-Xmx${memory}M', '-jar', 'my server.jar', 'say "hi"', '', '${args}'],
      stop: 'stop',
      readyPattern: 'Done \\(',
      autostart: true,
    },
    environment: { type: 'standard' },
    odd: [1],
  },
}

test('a 1.x template is converted, without notes when nothing is lost', () => {
  const { template, notes } = convertTemplate(old)

  expect(notes).toEqual([])
  expect(Template.safeParse(template).success).toBe(true)
  expect(template).toMatchObject({
    name: 'spigot-minecraft',
    display: 'Spïgot – Minecraft!',
    type: 'minecraft-java',
    data: old.pufferd.data,
    install: [{ type: 'command', commands: ['cp a ${rootDir}/b', 'echo ${rootDir}'] }],
    uninstall: [{ type: 'mkdir', target: '${rootDir}/x' }],
    run: { stop: 'stop', readyPattern: 'Done \\(', autostart: true },
    environment: { type: 'standard' },
    supportedEnvironments: [{ type: 'standard' }],
    odd: [1],
  })
  expect(template.run).not.toHaveProperty('program')
  expect(isOldTemplate(template)).toBe(false)
})

test.each(unusable.filter(({ code }) => code === 'ErrOldTemplate'))(
  'a template in the format of $path is converted without loss',
  ({ text }) => {
    const json = JSON.parse(text)

    const { template, notes } = convertTemplate(json)

    expect(notes).toEqual([])
    expect(template).toMatchObject({ data: json.pufferd.data, environment: json.pufferd.environment })
    expect(template.install).toHaveLength(json.pufferd.install.commands.length)
    expect(getCommand(template.run)).not.toBe('')
    expect(JSON.stringify(template)).not.toContain('rootdir')
  },
)

test('each argument stays one argument of the command line', () => {
  const { template } = convertTemplate(old)

  expect(splitCommand(getCommand(template.run))).toEqual(['java', ...old.pufferd.run.arguments])
})

test('parts that cannot be converted are listed with their path', () => {
  const { template, notes } = convertTemplate({
    name: 'beside',
    pufferd: {
      type: 'x',
      install: { commands: [{ type: 'mkdir', target: 'a' }, { type: 'ftbdl' }], files: ['a'] },
      run: { enabled: false, pre: [{ type: 'oldstep' }] },
      environment: { type: 'vm' },
    },
  })

  expect(notes).toEqual([
    { kind: 'dropped', where: 'name' },
    { kind: 'noCommand' },
    { kind: 'step', where: 'run.pre[0]', type: 'oldstep' },
    { kind: 'environment', type: 'vm' },
    { kind: 'dropped', where: 'install.files' },
    { kind: 'step', where: 'install[1]', type: 'ftbdl' },
  ])
  expect(template).toMatchObject({ name: 'x', run: { disabled: true }, supportedEnvironments: [{ type: 'vm' }] })
})

test('without an environment it gets the standard one, with a note', () => {
  const { template, notes } = convertTemplate({ pufferd: { type: 'x', run: { command: 'x' } } })

  expect(notes).toEqual([{ kind: 'noEnvironment' }])
  expect(template.environment).toEqual({ type: 'standard' })
})

test.each([
  ['a wrapped one', { pufferd: {} }, true],
  ['one with steps below commands', { type: 'x', install: { commands: [] } }, true],
  ['one of ours', { type: 'x', install: [], run: { program: 'x' } }, false],
  ['a list', [], false],
  ['nothing', null, false],
])('%s is recognized', (_, json, isOld) => {
  expect(isOldTemplate(json)).toBe(isOld)
})

test.each([
  ['a text', 'x', 'ErrInvalidJson'],
  ['one without a category', { pufferd: { run: { command: 'x' } } }, 'ErrFieldRequired'],
  ['steps that are none', { pufferd: { type: 'x', install: { commands: ['rm'] } } }, 'ErrFieldInvalid'],
])('%s is refused with the reason', (_, json, code) => {
  const error = (() => {
    try {
      return convertTemplate(json)
    } catch (refusal) {
      return refusal
    }
  })()

  expect(error).toBeInstanceOf(Refusal)
  expect(error).toMatchObject({ code })
})

test('a name generated from the display name is valid in a path', () => {
  expect(['Älter & Neuer', '  ', '星', 'a'.repeat(120)].map(getSlug)).toEqual(['alter-neuer', '', '', 'a'.repeat(100)])
})
