import type { Sketch } from './sketch.ts'

/** Names that steps and commands use when they are there, by the type that they mostly have. */
const known: Readonly<Record<string, readonly string[]>> = {
  s: ['version', 'modlauncher', 'motd', 'modpack', 'forgebuild', 'password'],
  i: ['javaversion', 'port', 'memory'],
  b: ['eula', 'backup'],
  o: ['kind'],
  u: ['ip', 'name'],
}
const types: Readonly<Record<string, string>> = { s: 'string', i: 'integer', b: 'boolean', o: 'option' }

const values: Readonly<Record<string, string>> = {
  ...{ version: '1.20.1', modlauncher: 'forge', forgebuild: '47.2.0', modpack: 'https://example.org/pack.zip' },
  ...{ ip: '0.0.0.0', javaversion: '21', port: '25565', memory: '1024', arch: 'x64', dotnetversion: '8.0' },
  ...{ artifact: 'https://example.org/server.tar.xz', appId: '740', 'mc-version': '1.12.2' },
}

/** The variables of a sketch, by type. Most older templates have text values for every type. */
export function variablesLike({ name, variables, odd, environments }: Sketch, { isNewer }: { isNewer: boolean }) {
  const withoutValue = odd.take('noValue') ?? []
  const knownNames = [
    ...withoutValue,
    ...(odd.take('names') ?? []),
    ...(odd.take('address') ?? []),
    ...(odd.has('glued') ? ['forge'] : []),
  ]
  const unnamed = ['i', 'b', 'o', 'u', 's'].flatMap((type) =>
    Array.from({ length: variables.get(type) ?? 0 }, (_, at) => ({ type, name: known[type]?.[at] ?? `${type}${at}` })),
  )
  if (knownNames.length > unnamed.length)
    throw new Error(`${name}: there are too few variables for ${knownNames.join(', ')}`)
  // The given names replace the last ones, so that common names such as `port` stay.
  const firstKnown = unnamed.length - knownNames.length
  const named = unnamed.map((variable, index) => ({
    ...variable,
    name: knownNames[index - firstKnown] ?? variable.name,
  }))
  return Object.fromEntries(
    named.map(({ type, name: variable }, at) => [
      variable,
      {
        ...(type !== 'u' && { type: types[type] }),
        ...(!withoutValue.includes(variable) && { value: valueLike(type, variable, at, isNewer) }),
        ...{ display: variable.toUpperCase(), desc: 'See <a href="https://example.org">this</a><br/><i>page</i>' },
        // Some write it as a text.
        required: environments.defaultEnvironment === undefined && at === 0 ? 'true' : at % 2 === 0,
        ...(at % 3 !== 0 && { userEdit: at % 3 === 1 }),
        ...(at === 3 && { internal: false }),
        ...(type === 'o' && { options: [{ value: '223350', display: 'First' }, { value: '1042420' }] }),
      },
    ]),
  )
}

function valueLike(type: string, name: string, at: number, isNewer: boolean): unknown {
  const text = values[name]
  if (type === 'o') return '1042420'
  if (type === 'b') return isNewer ? at % 2 === 0 : at % 2 === 0 ? 'true' : 'False'
  if (type === 'i' && isNewer) return Number(text ?? 10)
  // Some have nothing in the place of a number, and some an address.
  if (type === 'i') return text ?? (['10', '', '0.0.0.0'][at % 3] as string)
  return text ?? (at % 4 === 3 ? '' : isNewer && at % 4 === 2 ? '{{ .Data.x | default "y" }}' : `a "${name}" of $HOME`)
}
