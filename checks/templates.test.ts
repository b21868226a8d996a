import { join } from 'node:path'
import { findBackupSettings } from '@innkeeper/contract/definitions/backup-settings'
import { splitCommand, substitute } from '@innkeeper/contract/definitions/command-line'
import { conditionProblem } from '@innkeeper/contract/definitions/conditions'
import { findEnvironmentType, getCommand, getEnvironments, Template } from '@innkeeper/contract/definitions/definition'
import { validateDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { getDockerFields, variablesIn } from '@innkeeper/contract/definitions/docker'
import { isStepType, type Step, stepFields } from '@innkeeper/contract/definitions/operations'
import { getRange, validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import {
  getText,
  getVariableType,
  isSecretName,
  type Variables,
  variableTypes,
} from '@innkeeper/contract/definitions/variables'
import { isEscapeFormat } from '@innkeeper/contract/text/escape'
import { TemplateName } from '@innkeeper/contract/text/names'
import { describe, expect, test } from 'vitest'
import { files } from './sources.ts'

const readmes = new Map(files('templates/*/README.md').map(({ path, text }) => [path, text]))
const bundled = files('templates/*/*.json').map(({ path, text }) => {
  const [, folder = '', file = ''] = path.split('/')
  const readme = readmes.get(join('templates', folder, 'README.md')) ?? ''
  return { path, folder, file, text, readme, template: Template.parse(JSON.parse(text)) }
})

/** Variables that the node provides. */
const nodeVariables = ['serverId', 'rootDir', 'core:os', 'core:arch']

/** Categories of the template list. */
const categories = [
  'application',
  'discord',
  'game',
  'generic',
  'minecraft-bedrock',
  'minecraft-java',
  'srcds',
  'steam',
  'voice',
]

/** Hosts of vendors that templates may download from. */
const hosts = [
  'api.mohistmc.com',
  'api.purpurmc.org',
  'ci.md-5.net',
  'files.teamspeak-services.com',
  'github.com',
  'hub.spigotmc.org',
  'quiltmc.org',
  'terraria.org',
  'www.factorio.com',
  'www.minecraft.net',
]

test('servers of Minecraft: Java Edition stop writing while they are backed up', () => {
  // Proxies have no world, and Folia has no such commands.
  const others = ['minecraft-bungeecord', 'minecraft-folia', 'minecraft-velocity', 'minecraft-waterfall']
  const java = bundled.filter(({ template, folder }) => template.type === 'minecraft-java' && !others.includes(folder))

  expect(java.length).toBeGreaterThan(10)
  for (const { folder, template } of java) {
    const backup = { before: ['save-off', 'save-all flush'], waitFor: 'Saved the (game|world)', after: ['save-on'] }
    expect(findBackupSettings(template), folder).toMatchObject(backup)
  }
})

test('templates are loaded', () => {
  expect(bundled.map(({ folder }) => folder)).toEqual(expect.arrayContaining(['generic-command', 'nodejs-app']))
})

test('docs/templates.md lists every template', () => {
  const [list] = files('docs/templates.md')
  const linked = [...(list?.text.matchAll(/^\| \[(.+)\]\(\.\.\/templates\/(.+)\/README\.md\) \|/gm) ?? [])]

  expect(linked.map(([, display, folder]) => `${folder}: ${display}`).toSorted()).toEqual(
    bundled.map(({ folder, template }) => `${folder}: ${template.display}`).toSorted(),
  )
})

test('display names are unique', () => {
  const names = bundled.map(({ template }) => template.display)

  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

describe.each(bundled)('the template $folder', ({ path, folder, file, text, readme, template }) => {
  const { data, run } = template
  const lists: Readonly<Record<string, readonly Step[]>> = {
    install: template.install ?? [],
    uninstall: template.uninstall ?? [],
    pre: run.pre ?? [],
    post: run.post ?? [],
  }
  const steps = Object.values(lists).flat()
  const commands = Array.isArray(run.command) ? run.command : [{ command: getCommand(run) }]
  const conditions = [...steps, ...commands].flatMap((one) => (typeof one.if === 'string' ? [one.if] : []))
  const outputVariables = steps.flatMap(({ outputVariable }) =>
    typeof outputVariable === 'string' ? [outputVariable] : [],
  )

  test('has the name of its folder, a display name, a category and a readme', () => {
    expect(file).toBe(`${folder}.json`)
    expect(template.name, `${path}: "name" must be the folder's`).toBe(folder)
    expect(TemplateName.safeParse(template.name).success, `${path}: "name" must be safe in a path`).toBe(true)
    expect(template.display, `${path}: add "display"`).toBeTruthy()
    expect(categories, `${path}: "type" must be a category`).toContain(template.type)
    expect(getHeadings(readme), `complete templates/${folder}/README.md`).toEqual([
      `# ${template.display}`,
      ...['## Before you start', '## Ports', '## Data and update', '## Console and stop'],
    ])
  })

  test('supports pipes and terminal, or only containers, and has a default environment', () => {
    const offered = getEnvironments(template).map(findEnvironmentType)

    expect(offered).toEqual(offered[0] === 'docker' ? ['docker'] : expect.arrayContaining(['standard', 'tty']))
    expect(offered, `${path}: "environment" must be one of "supportedEnvironments"`).toContain(
      template.environment && findEnvironmentType(template.environment),
    )
  })

  test('declares the required system and programs, so that a missing one is reported clearly', () => {
    expect(template.requirements?.os).toBeTruthy()
    expect(template.requirements?.binaries).not.toEqual([])
  })

  test('has no problem that a node would reject, such as an invalid ready pattern', () => {
    expect(validateDefinition(template)).toBeUndefined()
  })

  test('escapes string values in files', () => {
    const unescaped = steps.filter((step) => {
      const written = step.type === 'writefile' ? step.text : step.type === 'alterfile' ? step.replace : undefined
      const variables = variablesIn(getText(typeof written === 'string' ? written : ''))
      return (
        variables.some((name) => data[name] && getVariableType(data[name]) === 'string') && !isEscapeFormat(step.escape)
      )
    })

    expect(unescaped, `${path}: add "escape" to these steps`).toEqual([])
  })

  test('has a range for numbers, so that -5 players are rejected', () => {
    const unbounded = Object.entries(data).flatMap(([name, variable]) =>
      getVariableType(variable) === 'integer' && getRange(name, variable).min === undefined ? [name] : [],
    )

    expect(unbounded, `${path}: add "min" to these variables`).toEqual([])
  })

  test('forbids separators in values where one argument contains several', () => {
    const unrestricted = commands
      .flatMap(({ command }) => splitCommand(command))
      .filter((part) => /[?,].*\$\{/.test(part) && !part.includes('"$@"'))
      .flatMap(variablesIn)
      .filter((name) => {
        const { userEdit, forbiddenCharacters } = data[name] ?? {}
        return data[name] && getVariableType(data[name]) === 'string' && userEdit && !forbiddenCharacters
      })

    expect(unrestricted, `${path}: add "forbiddenCharacters" to these variables`).toEqual([])
  })

  test('lets users choose neither more options nor other files of the machine', () => {
    const isFree = (name: string) => data[name]?.userEdit === true && getVariableType(data[name]) === 'string'
    const accepts = (name: string, value: string) => validateVariable(name, data[name] ?? {}, value) === undefined
    const lines = [...commands.map(({ command }) => command), ...steps.flatMap(({ commands: of }) => [of].flat())]
    const inCommands = lines.flatMap((line) => variablesIn(String(line))).filter(isFree)
    const inAddresses = steps.flatMap(({ files: of }) => [of].flat()).flatMap((url) => variablesIn(String(url ?? '')))
    const inPaths = [
      ...variablesIn(run.workingDirectory ?? ''),
      ...steps.flatMap(({ target, source, file: of }) =>
        [target, source, of].flatMap((path) => variablesIn(String(path ?? ''))),
      ),
      // Names of worlds and maps in files.
      ...steps.flatMap(({ text: all, replace }) =>
        variablesIn(String(all ?? replace ?? '')).filter((name) => /^(world|map|game)$/.test(name)),
      ),
    ]

    const splitAgain = inCommands.filter((name) => accepts(name, 'a -b') || accepts(name, 'a +b'))
    const leadingOut = [...inAddresses, ...inPaths].filter(isFree).filter((name) => accepts(name, '../../a'))
    expect(splitAgain, `${path}: add "pattern", or the type "path"; a script may split words again`).toEqual([])
    expect(leadingOut, `${path}: add "pattern", or the type "path"; these name files`).toEqual([])
  })

  test('takes names of servers as people write them', () => {
    const { servername } = data
    const names = ["Anna's café - EU #1 (24/7)", '[PvE] Дом & Сад!', '東京 1.0']

    const refused = names.filter((name) => servername && validateVariable('servername', servername, name))
    expect(refused).toEqual([])
  })

  test('documents secrets on the command line, which only some games require', () => {
    const lines = [...commands.map(({ command }) => command), ...steps.map(({ commands: of }) => String(of))]
    const secrets = lines.flatMap(variablesIn).filter(isSecretName)

    const isDocumented = /on\s+its\s+command\s+line/.test(readme)
    expect(
      isDocumented,
      `templates/${folder}/README.md must document ${secrets.join() || 'no secrets'} on the command line`,
    ).toBe(secrets.length > 0)
  })

  test('describes each variable, and its value matches its type', () => {
    const problems = Object.entries(data).flatMap(([name, variable]) => [
      ...(variable.display && variable.desc ? [] : [`${name}: add "display" and "desc"`]),
      ...(variableTypes.some((type) => type === variable.type) ? [] : [`${name}: "type" must be a known type`]),
      ...(typeof variable.required === 'boolean' ? [] : [`${name}: add "required"`]),
      ...(typeof variable.userEdit === 'boolean' ? [] : [`${name}: add "userEdit"`]),
      ...(getVariableType(variable) !== 'integer' || typeof variable.value === 'number'
        ? []
        : [`${name}: write a number`]),
      // A required text can be empty here: the creator of a server enters it.
      ...(variable.value !== '' && validateVariable(name, variable, variable.value)
        ? [`${name}: its value is invalid`]
        : []),
    ])

    expect(problems).toEqual([])
  })

  test('has an address for the server list, unless it does not listen', () => {
    if (template.type === 'discord') return expect([data.ip, data.port]).toEqual([undefined, undefined])
    expect(data.ip).toMatchObject({ type: 'string', userEdit: false })
    expect(data.port).toMatchObject({ type: 'integer', userEdit: false })
  })

  test('has valid ports', () => {
    const ports = Object.entries(data).filter(([name]) => /port(v6)?$|^inside$/.test(name))

    for (const [name, { type, value }] of ports) {
      expect(type, `${path}: ${name}`).toBe('integer')
      expect(Number(value), `${path}: ${name}`).toSatisfy((port) => port >= 0 && port <= 65_535)
    }
  })

  test('downloads over HTTPS from the vendors', () => {
    const addresses = [...text.matchAll(/"files": \[([^\]]*)\]/g)].flatMap(([, list = '']) => JSON.parse(`[${list}]`))
    const filled = addresses.map((address: string) => substitute(address, getValues(data))).filter(Boolean)

    const files = steps.filter(({ type }) => type === 'writefile')
    expect(JSON.stringify([data, run.command, steps.filter((step) => !files.includes(step))])).not.toContain('http://')
    for (const address of filled) expect(hosts, address).toContain(new URL(address).hostname)
  })

  test('uses only existing variables, and all of them', () => {
    const filledIn = [
      ...steps.flatMap(getTexts),
      ...commands.map(({ command }) => command),
      run.workingDirectory ?? '',
      ...Object.values(run.environmentVars ?? {}).map((value) => value ?? ''),
      ...(template.requirements?.binaries ?? []),
      ...getEnvironments(template).flatMap((environment) => {
        const { image, networkName, portBindings } = getDockerFields(environment)
        return [image, networkName, ...portBindings]
      }),
    ]
    const used = new Set(filledIn.flatMap(variablesIn))
    const known = [...Object.keys(data), ...nodeVariables, ...outputVariables]

    const unknown = [...used].filter((name) => !known.includes(name))
    // Some games have no option for their address; server lists display it anyway.
    const shown = /listens on every\s+address/.test(readme) ? ['ip'] : []
    const unused = Object.keys(data).filter(
      (name) => !used.has(name) && !shown.includes(name) && !conditions.some((condition) => condition.includes(name)),
    )
    expect(unknown, `${path}: undeclared variables`).toEqual([])
    expect(unused, `${path}: unused variables`).toEqual([])
  })

  test('runs no step after a failed one', () => {
    const conditional = steps.filter((step) => typeof step.if === 'string')

    expect(conditional.filter((step) => !/^success && /.test(String(step.if)))).toEqual([])
  })

  test('listens on every address of a container with its own network', () => {
    const bridged = getEnvironments(template)
      .map(getDockerFields)
      .filter(({ networkMode }) => networkMode === 'bridge')
    const publishing = bridged.filter(({ portBindings }) => portBindings.some((binding) => binding.includes('${port}')))
    const pre = bridged.length > 0 ? (lists.pre ?? []) : []
    const withAddress = pre.filter(
      (step) => step.if === undefined && getTexts(step).flatMap(variablesIn).includes('ip'),
    )
    const insideContainers = pre.filter((step) => step.if === "success && env == 'docker'")

    expect(publishing).toEqual(bridged)
    if (bridged.length > 0) expect(commands.flatMap(({ command }) => variablesIn(command))).not.toContain('ip')
    for (const { file: changed, search } of withAddress)
      expect(insideContainers).toContainEqual(expect.objectContaining({ file: changed, search }))
  })

  test('has valid steps without unknown fields', () => {
    const problems = Object.entries(lists).flatMap(([list, listed]) =>
      listed.flatMap((step, at) =>
        stepProblems(step, getValues(data)).map((problem) => `${list}[${at}] ${step.type}: ${problem}`),
      ),
    )

    expect(problems).toEqual([])
  })

  test('has valid conditions', () => {
    const names = [...Object.keys(data), ...outputVariables]

    expect(conditions.flatMap((condition) => conditionProblem(condition, names) ?? [])).toEqual([])
  })

  test('changes only lines that its install steps write', () => {
    const written = new Map(lists.install?.filter(({ type }) => type === 'writefile').map((s) => [s.target, s.text]))
    const unmatched = steps
      .filter(({ type, file: changed }) => type === 'alterfile' && written.has(changed))
      .filter(({ file: changed, search }) => !new RegExp(String(search), 'm').test(String(written.get(changed))))
      .map(({ search }) => `${path}: no line matches ${String(search)}`)

    expect(unmatched).toEqual([])
  })

  test('has a start command, and a stop command or signal', () => {
    expect(getCommand(run)).not.toBe('')
    for (const { command } of commands) expect(splitCommand(command)).not.toEqual([])
    expect(
      [Boolean(run.stop), Boolean(run.stopCode)].filter(Boolean),
      `${path}: give "stop" or "stopCode"`,
    ).toHaveLength(1)
    expect(variablesIn(run.stop ?? ''), 'variables are not filled into "stop"').toEqual([])
  })
})

function stepProblems(step: Step, values: ReadonlyMap<string, string>): string[] {
  if (!isStepType(step.type)) return ['unknown step type']
  const shape = stepFields[step.type]
  const read = shape.safeParse(withVariables(step, values))
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)

  const problems: string[] = []
  for (const field of Object.keys(step)) {
    if (!['type', 'if'].includes(field) && !Object.hasOwn(shape.shape, field)) problems.push(`unknown field "${field}"`)
  }
  for (const field of ['target', 'source', 'file']) {
    const path = step[field]
    if (typeof path === 'string' && /^\/|(^|\/)\.\.(\/|$)/.test(path))
      problems.push(`"${field}" must stay in the folder`)
  }
  if (step.type === 'command' && step.stopOnError !== true) problems.push('add "stopOnError": true')
  return problems
}

/** The step with its variables replaced, as the node reads it. */
function withVariables(step: Step, values: ReadonlyMap<string, string>): object {
  const fill = (value: unknown) => (typeof value === 'string' ? substitute(value, values) : value)
  return Object.fromEntries(
    Object.entries(step).map(([name, value]) => [name, Array.isArray(value) ? value.map(fill) : fill(value)]),
  )
}

function getTexts(step: Step): string[] {
  return Object.values(step)
    .flat()
    .filter((value) => typeof value === 'string')
}

function getValues(data: Variables): Map<string, string> {
  return new Map(Object.entries(data).map(([name, { value }]) => [name, getText(value)]))
}

/** The headings of a readme, without optional ones. */
function getHeadings(readme: string): string[] {
  const optional = /^## (?:How it works|Install|Variables|Not as root)$/
  return readme.split('\n').filter((line) => /^##? /.test(line) && !optional.test(line))
}

test('the label of every variable is in the catalog that translates it', () => {
  const labels = bundled.flatMap(({ template }) => Object.values(template.data).map(({ display }) => display ?? ''))
  const [catalog] = files('packages/web/src/locales/en_US/variable-labels.json')
  const known = JSON.parse(catalog?.text ?? '{}') as Record<string, string>

  expect(Object.entries(known).filter(([key, text]) => key !== text)).toEqual([])
  expect(
    [...new Set(labels)].filter((label) => label !== '' && !Object.hasOwn(known, label)),
    'add them to packages/web/src/locales/en_US/variable-labels.json',
  ).toEqual([])
  expect(
    Object.keys(known).filter((label) => !labels.includes(label)),
    'remove them',
  ).toEqual([])
})
