import { environmentLike } from './environment-like.ts'
import type { Sketch } from './sketch.ts'
import { conditionFor, stepsLike } from './steps-like.ts'
import { variablesLike } from './variables-like.ts'

/** Creates a definition from a sketch. @throws Error for unknown words. */
export function definitionLike(sketch: Sketch): object {
  const { name, type, install, pre, requires, odd } = sketch
  const { defaultEnvironment, supported } = sketch.environments
  const all = [defaultEnvironment, ...(supported ?? [])].filter((one) => one !== undefined)
  const isNewer = all.some((one) => /^(?:host|empty)/.test(one))
  const isContained = all.length > 0 && all.every((one) => one.startsWith('docker'))
  const data = variablesLike(sketch, { isNewer })
  const ground = { names: Object.keys(data), odd, isNewer, isContained }
  const installing = stepsLike(install, ground)
  const preparing = stepsLike(pre, ground)
  // Some write every list, also the empty ones, and some leave them out.
  const isWordy = isNewer || name.length % 2 === 0
  const environment = defaultEnvironment === undefined ? undefined : environmentLike(defaultEnvironment, odd)
  const definition = {
    ...{ type, display: `${name} & its <b>display</b>` },
    ...(isNewer && { icon: type, readme: '# Read me\n' }),
    ...(odd.has('emptyLists') || installing.length > 0 || isWordy ? { install: installing } : {}),
    ...(odd.has('noUninstall') && { uninstall: null }),
    data,
    run: {
      ...runLike(sketch, ground),
      ...(preparing.length > 0 || isWordy ? { pre: preparing } : {}),
      ...(isWordy && { post: [] }),
    },
    ...(environment && { environment }),
    ...(supported && { supportedEnvironments: supported.map((one) => environmentLike(one, odd)) }),
    ...(requires.length > 0 && { requirements: requirementsLike(requires) }),
    ...extrasLike(sketch),
  }
  odd.end()
  return definition
}

interface Ground {
  readonly names: readonly string[]
  readonly odd: Sketch['odd']
  readonly isNewer: boolean
}

function runLike({ install, stop, odd }: Sketch, { names, isNewer }: Ground): object {
  const signal = Number(stop)
  const variables = variablesOfProcess(odd)
  const [directory] = odd.take('cwd') ?? []
  const [stdin] = odd.take('stdin') ?? []
  const [exit] = odd.take('exit') ?? []
  return {
    command: commandLike(install, names, odd),
    ...(signal ? { stopCode: signal } : { stop }),
    ...(Object.keys(variables).length > 0 || isNewer ? { environmentVars: variables } : {}),
    ...(directory !== undefined && { workingDirectory: directory }),
    ...(isNewer && {
      ...{ autostart: false, autorestart: false, autorecover: false },
      stdin: stdin === undefined ? { type: 'stdin' } : { type: stdin, port: '${port}', password: '' },
    }),
    ...(exit !== undefined && { expectedExitCode: Number(exit) }),
  }
}

/** The command, one or several, with all that is odd about it. */
function commandLike(install: Sketch['install'], names: readonly string[], odd: Sketch['odd']): unknown {
  const filled = (name: string) => (names.includes(name) ? `\${${name}}` : 'plain')
  const isJava = install.some(({ kind }) => kind === 'java' || kind === 'mojangdl')
  const jar = odd.has('jarVariable') ? filled('version') : 'server'
  const program = isJava
    ? `java${filled('javaversion')} -Xmx${filled('memory')}M -jar ${jar}.jar nogui`
    : './server -go'
  const scripted = odd.take('script')?.[0]
  const [missing] = odd.take('undefined') ?? []
  const [first = 'name'] = names
  const line = [
    scripted === undefined ? `${odd.has('mono') ? 'mono ' : ''}${program}` : `${scripted} start.sh`,
    ...(odd.has('rootDir') ? ['-dir ${rootDir}/data'] : []),
    ...(odd.has('quotes') ? [`-name "${filled(first)}" -seed "a b"`] : []),
    ...(odd.has('emptyQuotes') ? ['-password ""'] : []),
    ...(odd.has('doubleBlank') ? [' +map  first'] : []),
    ...(odd.has('newline') ? ['\n@args.txt'] : []),
    ...(odd.has('commas') ? ['"config port 1, host other, version"'] : []),
    ...(odd.has('tokenPair') ? ['--token ${token_name}:${secret}'] : []),
    ...(odd.has('emptyValues') ? [`-password ${filled(first)}`] : []),
    ...(missing === undefined ? [] : [`@libraries/\${${missing}}/args.txt`]),
    ...(odd.has('shellSigns') ? ['> /dev/null &'] : []),
  ].join(' ')
  const several = Number(odd.take('commands')?.[0] ?? 0)
  if (several === 0) return line
  const noCondition = odd.has('emptyIf')
  return Array.from({ length: several }, (_, at) => ({
    command: at === 0 ? `sh -c "exec ${program}"` : line,
    // The last one is the fallback.
    ...(at < several - 1 ? { if: conditionFor(at, names) } : noCondition ? { if: '' } : {}),
  }))
}

function variablesOfProcess(odd: Sketch['odd']): Record<string, string | number> {
  return {
    ...(odd.has('shellVar') && { LD_LIBRARY_PATH: './linux64:$LD_LIBRARY_PATH', SteamAppId: '892970' }),
    ...(odd.has('libraryPath') && { LD_LIBRARY_PATH: '.' }),
    ...(odd.has('dotnetRoot') && { DOTNET_ROOT: '${rootDir}/dotnet' }),
    ...(odd.has('preload') && { LD_PRELOAD: 'libdoorstop.so:$LD_PRELOAD', DOORSTOP_ENABLE: 'TRUE' }),
    ...(odd.has('terminal') && { TERM: 'xterm' }),
    ...(odd.has('variablesInside') && { PORT: '${port}', COUNT: 5 }),
  }
}

function requirementsLike(words: readonly string[]): object {
  const known: Record<string, string | string[]> = {}
  for (const word of words) {
    if (word.startsWith('bin:')) known.binaries = word.slice('bin:'.length).split('+')
    else if (['linux', 'windows'].includes(word)) known.os = word
    else if (['amd64', 'arm64'].includes(word)) known.arch = word
    else throw new Error(`nothing can be required as ${word}`)
  }
  return known
}

function extrasLike({ odd }: Sketch): object {
  const [stats] = odd.take('stats') ?? []
  const [query] = odd.take('query') ?? []
  const isEmpty = odd.has('emptyKinds')
  return {
    ...((stats !== undefined || isEmpty) && { stats: { type: stats ?? '' } }),
    ...((query !== undefined || isEmpty) && { query: { type: query ?? '' } }),
    ...(odd.has('keepAlive') && { keepAlive: { frequency: 60, command: 'ping' } }),
    ...(odd.has('groups') && {
      groups: [
        { display: 'First', description: '', variables: ['version'], order: 1, if: "modlauncher == 'forge'" },
        { display: 'Rest', variables: [], order: 2 },
      ],
    }),
  }
}
