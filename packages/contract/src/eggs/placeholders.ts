/** Names of variables that the other panel has for every server, and ours. */
const ourNames: Readonly<Record<string, string>> = { SERVER_IP: 'ip', SERVER_PORT: 'port', SERVER_MEMORY: 'memory' }

const nameHere = (name: string): string => (Object.hasOwn(ourNames, name) ? (ourNames[name] ?? name) : name)

/** Whether the other panel sets the variable itself, so that an egg cannot. */
export const isReserved = (name: string): boolean => Object.hasOwn(ourNames, name.toUpperCase())

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

/** The text with the line ends of Linux: shells take a carriage return for a part of the word. */
export const withoutCarriageReturns = (text: string): string => text.replaceAll('\r', '')
