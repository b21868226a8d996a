/** Names of variables that the other panel has for every server, and ours. */
const ourNames: Readonly<Record<string, string>> = { SERVER_IP: 'ip', SERVER_PORT: 'port', SERVER_MEMORY: 'memory' }

/** The folder of a server in a container of the other panel, and here. */
const homes = ['/home/container', '/pufferpanel'] as const

const nameHere = (name: string): string => (Object.hasOwn(ourNames, name) ? (ourNames[name] ?? name) : name)

/**
 * Converts a start command. The other panel runs it in a shell, so one with shell syntax runs in bash here; the shell
 * then expands the variables, so that their values are no code.
 */
export function shellText(command: string): string {
  const text = command.replaceAll(...homes).replace(/\{\{\s?(\w{1,191})\s?\}\}/g, '${$1}')
  const plain = text.replace(/\$\{\w{1,191}\}/g, '')
  if (!/[$&;|<>`"'\\(){}[\]*?~\n]/.test(plain)) {
    return text.replace(/\$\{(\w{1,191})\}/g, (_, name: string) => `\${${nameHere(name)}}`)
  }
  return `bash -c "${variablesAsCode(text).replace(/["\\]/g, '\\$&')}"`
}

/** Changes `${NAME}` to `${NAME-}`, which only a shell expands. */
export function variablesAsCode(text: string): string {
  return text.replace(/\$\{(\w{1,191})\}/g, (_, name: string) => `\${${name}-}`)
}

/** The variable of converted eggs for the address of the node as its containers see it. */
export const hostAddress = 'hostAddress'

const ourReferences: Readonly<Record<string, string>> = {
  'server.build.default.ip': 'ip',
  'server.build.default.port': 'port',
  'server.build.memory': 'memory',
  'server.build.memory_limit': 'memory',
  'server.allocations.default.ip': 'ip',
  'server.allocations.default.port': 'port',
  'server.uuid': 'serverId',
  'config.docker.interface': hostAddress,
  'config.docker.network.interface': hostAddress,
}
const variablePrefixes = ['server.build.env.', 'server.build.environment.', 'server.environment.', 'env.'] as const

/** Converts a value for a configuration file; `undefined` when it refers to something that does not exist here. */
export function configValue(value: string): string | undefined {
  let isComplete = true
  const text = value.replace(/\{\{\s?([\w.-]{1,300})\s?\}\}/g, (_, path: string) => {
    const prefix = variablePrefixes.find((candidate) => path.startsWith(candidate))
    const variable = prefix ? path.slice(prefix.length) : path
    const name = Object.hasOwn(ourReferences, path) ? ourReferences[path] : nameHere(variable)
    if (name === undefined || !/^\w{1,191}$/.test(name)) isComplete = false
    return `\${${name}}`
  })
  return isComplete ? text : undefined
}
