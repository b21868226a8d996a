import { join } from 'node:path'
import { splitCommand } from '@innkeeper/contract/command-line'
import { conditionProblem } from '@innkeeper/contract/conditions'
import { commandOf, environmentsOf, environmentTypeOf, Template } from '@innkeeper/contract/definition'
import { TemplateName } from '@innkeeper/contract/names'
import { isStepType, type Step, stepFields } from '@innkeeper/contract/operations'
import { objectionTo, typeOf, variableTypes } from '@innkeeper/contract/variables'
import { describe, expect, test } from 'vitest'
import { exists, files } from './sources.ts'

const bundled = files('templates/*/*.json').map(({ path, text }) => {
  const [, folder = '', file = ''] = path.split('/')
  return { path, folder, file, template: Template.parse(JSON.parse(text)) }
})

/** Names that the node fills in beside the variables of a server. */
const givenByTheNode = ['serverId', 'rootDir', 'core:os', 'core:arch']

test('there are templates to choose from', () => {
  expect(bundled.map(({ folder }) => folder)).toEqual(expect.arrayContaining(['generic-command', 'nodejs-app']))
})

describe.each(bundled)('the template $folder', ({ path, folder, file, template }) => {
  const { data, run } = template
  const lists: Readonly<Record<string, readonly Step[]>> = {
    install: template.install ?? [],
    uninstall: template.uninstall ?? [],
    pre: run.pre ?? [],
    post: run.post ?? [],
  }
  const steps = Object.values(lists).flat()
  const commands = Array.isArray(run.command) ? run.command : [{ command: commandOf(run) }]
  const conditions = [...steps, ...commands].flatMap((one) => (typeof one.if === 'string' ? [one.if] : []))
  const found = steps.flatMap(({ outputVariable }) => (typeof outputVariable === 'string' ? [outputVariable] : []))

  test('has the name of its folder, a display name, a category and a readme', () => {
    expect(file).toBe(`${folder}.json`)
    expect(template.name, `${path}: "name" must be the folder's`).toBe(folder)
    expect(TemplateName.safeParse(template.name).success, `${path}: "name" must be safe in a path`).toBe(true)
    expect(template.display, `${path}: add "display"`).toBeTruthy()
    expect(exists(join('templates', folder, 'README.md')), `add templates/${folder}/README.md`).toBe(true)
  })

  test('runs on plain pipes and in a terminal, and names its default', () => {
    const offered = environmentsOf(template).map(environmentTypeOf)

    expect(offered).toEqual(expect.arrayContaining(['standard', 'tty']))
    expect(offered, `${path}: "environment" must be one of "supportedEnvironments"`).toContain(
      template.environment && environmentTypeOf(template.environment),
    )
  })

  test('says which system and programs it needs, so that a missing one has a clear message', () => {
    expect(template.requirements?.os).toBeTruthy()
    expect(template.requirements?.binaries).not.toEqual([])
  })

  test('explains each variable, and its value fits its type', () => {
    const objections = Object.entries(data).flatMap(([name, variable]) => [
      ...(variable.display && variable.desc ? [] : [`${name}: add "display" and "desc"`]),
      ...(variableTypes.some((type) => type === variable.type) ? [] : [`${name}: "type" must be one we know`]),
      ...(typeof variable.required === 'boolean' ? [] : [`${name}: add "required"`]),
      ...(typeof variable.userEdit === 'boolean' ? [] : [`${name}: add "userEdit"`]),
      ...(typeOf(variable) !== 'integer' || typeof variable.value === 'number' ? [] : [`${name}: write a number`]),
      ...(objectionTo(name, variable, variable.value) ? [`${name}: its value does not fit`] : []),
    ])

    expect(objections).toEqual([])
  })

  test('has an address for the list of servers', () => {
    expect(data.ip).toMatchObject({ type: 'string' })
    expect(data.port).toMatchObject({ type: 'integer' })
  })

  test('uses only variables that exist, and each of them', () => {
    const filledIn = [
      ...steps.flatMap(textsOf),
      ...commands.map(({ command }) => command),
      run.workingDirectory ?? '',
      ...Object.values(run.environmentVars ?? {}).map((value) => value ?? ''),
      ...(template.requirements?.binaries ?? []),
    ]
    const used = new Set(filledIn.flatMap(namesIn))
    const known = [...Object.keys(data), ...givenByTheNode, ...found]

    const unknown = [...used].filter((name) => !known.includes(name))
    const unused = Object.keys(data).filter(
      (name) => !used.has(name) && !conditions.some((condition) => condition.includes(name)),
    )
    expect(unknown, `${path}: used, but no variable`).toEqual([])
    expect(unused, `${path}: a variable that changes nothing`).toEqual([])
  })

  test('has valid steps with no field that a node would ignore', () => {
    const objections = Object.entries(lists).flatMap(([list, listed]) =>
      listed.flatMap((step, at) =>
        stepObjections(step).map((objection) => `${list}[${at}] ${step.type}: ${objection}`),
      ),
    )

    expect(objections).toEqual([])
  })

  test('has conditions that can be read', () => {
    const names = [...Object.keys(data), ...found]

    expect(conditions.flatMap((condition) => conditionProblem(condition, names) ?? [])).toEqual([])
  })

  test('changes only lines that its install writes', () => {
    const written = new Map(lists.install?.filter(({ type }) => type === 'writefile').map((s) => [s.target, s.text]))
    const lost = steps
      .filter(({ type, file: changed }) => type === 'alterfile' && written.has(changed))
      .filter(({ file: changed, search }) => !new RegExp(String(search), 'm').test(String(written.get(changed))))
      .map(({ search }) => `${path}: no line matches ${String(search)}`)

    expect(lost).toEqual([])
  })

  test('starts with a command and stops either by text or by signal', () => {
    expect(splitCommand(commandOf(run))).not.toEqual([])
    expect(
      [Boolean(run.stop), Boolean(run.stopCode)].filter(Boolean),
      `${path}: give "stop" or "stopCode"`,
    ).toHaveLength(1)
    expect(namesIn(run.stop ?? ''), 'variables are not filled into "stop"').toEqual([])
  })
})

function stepObjections(step: Step): string[] {
  if (!isStepType(step.type)) return ['there is no such step']
  const shape = stepFields[step.type]
  const read = shape.safeParse(step)
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)

  const objections: string[] = []
  for (const field of Object.keys(step)) {
    if (!['type', 'if'].includes(field) && !Object.hasOwn(shape.shape, field))
      objections.push(`there is no field "${field}"`)
  }
  for (const field of ['target', 'source', 'file']) {
    const path = step[field]
    if (typeof path === 'string' && /^\/|(^|\/)\.\.(\/|$)/.test(path))
      objections.push(`"${field}" must stay in the folder`)
  }
  if (step.type === 'command' && step.stopOnError !== true) objections.push('add "stopOnError": true')
  return objections
}

function textsOf(step: Step): string[] {
  return Object.values(step)
    .flat()
    .filter((value) => typeof value === 'string')
}

/** The names in `${…}`, as the node reads them. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/\$\{([^{}$]+)\}/g)].map(([, name = '']) => name)
}
