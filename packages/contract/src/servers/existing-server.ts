import type { Definition } from '../definitions/definition.ts'
import type { Variables, VariableValue } from '../definitions/variables.ts'
import type { RecognizedServer } from './recognized-server.ts'

/** The content of the settings of a recognized server; empty when it has none. */
export interface ServerSettings {
  /** `server.properties` */
  readonly settings: string
  /** `eula.txt` */
  readonly eula: string
}

/**
 * The definition of a server whose files exist already: its template with the values of its settings and its own jar.
 * An install fetches Java only, and does not replace a program that is there.
 */
export function getDefinition<D extends Definition>(
  template: D,
  recognized: RecognizedServer,
  files: ServerSettings,
): D {
  const values = getValues(template.data, files)
  const data = Object.entries(template.data).map(([key, variable]) => [
    key,
    values.has(key) ? { ...variable, value: values.get(key) } : variable,
  ])
  const steps = template.install ?? []
  return {
    ...template,
    data: { ...(Object.fromEntries(data) as Variables), ...loaderVariable(recognized) },
    run: { ...template.run, command: getCommand(template, recognized) },
    install: recognized.isInstalled ? steps.filter(({ type }) => type === 'javadl') : steps,
  }
}

/** The values of variables in the settings of a server. An EULA counts only if it was accepted there. */
export function getValues(data: Variables, { settings, eula }: ServerSettings): ReadonlyMap<string, VariableValue> {
  return valuesOfSettings(data, parseProperties(settings), parseProperties(eula).get('eula'))
}

/** The template's command with the jar of the folder. */
function getCommand({ run }: Definition, { jar }: RecognizedServer): string {
  const command = typeof run.command === 'string' ? run.command : ''
  if (jar === undefined) return command
  const quoted = /[\s"'\\]/.test(jar) ? `"${jar.replace(/["\\]/g, '\\$&')}"` : jar
  return command.replace('-jar server.jar', () => `-jar ${quoted}`)
}

/** The variable that an install sets to the version of the loader. */
function loaderVariable({ template, loader }: RecognizedServer) {
  if (loader === undefined) return {}
  const name = template === 'minecraft-neoforge' ? 'opNeoForgeVersion' : 'opForgeVersion'
  return { [name]: { type: 'string', value: loader, internal: true } }
}

/** The lines of `server.properties` and similar files. */
function parseProperties(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').map((line) => line.trim())
  return new Map(
    lines.flatMap((line) => {
      const at = line.indexOf('=')
      if (at < 1 || line.startsWith('#')) return []
      return [
        [
          line.slice(0, at).trim(),
          line
            .slice(at + 1)
            .trim()
            .replaceAll('\\:', ':'),
        ] as const,
      ]
    }),
  )
}

/** Variables of our templates by the name of the setting. */
const variables: Readonly<Record<string, string>> = {
  'server-port': 'port',
  'server-portv6': 'portv6',
  motd: 'motd',
  'server-name': 'servername',
  'max-players': 'maxplayers',
  difficulty: 'difficulty',
  gamemode: 'gamemode',
  'online-mode': 'onlinemode',
  'level-name': 'world',
}

function valuesOfSettings(
  data: Variables,
  settings: ReadonlyMap<string, string>,
  eula: string | undefined,
): ReadonlyMap<string, VariableValue> {
  const values = new Map<string, VariableValue>()
  for (const [setting, text] of settings) {
    const name = Object.hasOwn(variables, setting) ? variables[setting] : undefined
    const variable = name === undefined || !Object.hasOwn(data, name) ? undefined : data[name]
    if (name === undefined || !variable || text === '') continue
    if (variable.type === 'integer') {
      if (/^\d{1,9}$/.test(text)) values.set(name, Number(text))
    } else if (variable.type === 'boolean') values.set(name, text === 'true')
    else if (!variable.options || variable.options.some(({ value }) => value === text)) values.set(name, text)
  }
  // Only when it was accepted for these files.
  if (eula === 'true' && Object.hasOwn(data, 'eula')) values.set('eula', true)
  return values
}
