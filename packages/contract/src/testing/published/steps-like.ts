import type { Oddities, Word } from './sketch.ts'

interface StepContext {
  readonly names: readonly string[]
  readonly odd: Oddities
  readonly isNewer: boolean
  readonly isContained: boolean
}

/** `nth`: the number of the step among those of its kind, from 1. */
interface StepOptions extends StepContext {
  readonly nth: number
  readonly argument: string
  /** `${name}` if the definition has this variable. */
  variableOr(name: string, fallback: string): string
}

const conditions: readonly { readonly text: string; readonly needs?: string }[] = [
  { text: "env == 'host'" },
  { text: "modlauncher == 'fabric' && env == 'host'", needs: 'modlauncher' },
  { text: "env == 'docker'" },
  { text: "javaversion != ''", needs: 'javaversion' },
  { text: "os == 'windows'" },
  { text: "os == 'linux' && arch == 'arm64'" },
  { text: '!file_exists("server.properties")' },
  { text: "file_exists('forge-' + forgebuild + '.jar')", needs: 'forgebuild' },
  { text: "version == ''", needs: 'version' },
  { text: "modpack != ''", needs: 'modpack' },
  { text: 'backup', needs: 'backup' },
  { text: 'file_exists("/config/first.ini")' },
]

/** The next condition that only needs existing variables. */
export function conditionFor(at: number, names: readonly string[]): string {
  const usable = conditions.filter(({ needs }) => needs === undefined || names.includes(needs))
  return usable[at % usable.length]?.text ?? 'success'
}

/** Creates the steps of a sketch. */
export function stepsLike(words: readonly Word[], context: StepContext): object[] {
  const counts = new Map<string, number>()
  return words.map(({ kind, argument, isConditional }, at) => {
    const nth = (counts.get(kind) ?? 0) + 1
    counts.set(kind, nth)
    const variableOr = (name: string, fallback: string) => (context.names.includes(name) ? `\${${name}}` : fallback)
    const create = stepFactories[kind]
    if (!create) throw new Error(`unknown step ${kind}`)
    const step = create({ ...context, nth, argument, variableOr })
    return { ...step, ...(isConditional && { if: conditionFor(at, context.names) }) }
  })
}

const stepFactories: Readonly<Record<string, (options: StepOptions) => object>> = {
  dl: download,
  cmd: command,
  wf: writeFile,
  mv: ({ nth, odd }) => {
    if (nth === 1 && odd.has('noMatch')) return { type: 'move', source: 'sponge-*.jar', target: 'mods/' }
    const isGlob = odd.has('globMove') || nth > 1
    return { type: 'move', source: isGlob ? 'server-*.jar' : 'new.jar', target: nth % 2 === 1 ? 'server.jar' : './' }
  },
  mkdir: ({ nth }) => ({ type: 'mkdir', target: nth === 1 ? 'mods' : `a/folder${nth}/` }),
  extract: ({ nth, odd }) => {
    if (nth > 1 && odd.has('extractChain')) return { type: 'extract', source: 'inner.tar', destination: 'server' }
    return { type: 'extract', source: `release${nth}.zip`, destination: odd.has('extractHere') ? '.' : 'server' }
  },
  alterfile: ({ nth, odd }) => {
    if (odd.has('plainSearch')) return { type: 'alterfile', file: 'src/index.js', search: 'PORT', replace: '${port}' }
    return { type: 'alterfile', file: '/config/first.ini', search: `^key${nth}=.*$`, replace: 'key=1', regex: true }
  },
  java: ({ variableOr, isNewer }) => ({
    type: 'javadl',
    version: variableOr('javaversion', isNewer ? '25' : '17'),
  }),
  mojangdl: ({ variableOr }) => ({ type: 'mojangdl', version: variableOr('version', 'release'), target: 'server.jar' }),
  fabricdl: () => ({ type: 'fabricdl' }),
  forgedl: ({ variableOr, isNewer, names }) =>
    isNewer
      ? { type: 'forgedl', minecraftVersion: variableOr('version', '1.20.1'), version: '', target: 'forge.jar' }
      : {
          type: 'forgedl',
          version: names.includes('forge') ? '${mc-version}-${forge}' : variableOr('version', '1.20.1-47.2.0'),
          target: 'forge.jar',
        },
  spongeforgedl: () => ({ type: 'spongeforgedl', releaseType: 'recommended' }),
  curseforge: ({ nth, variableOr }) => ({
    ...{
      type: 'curseforge',
      projectId: '925200',
      fileId: nth === 1 ? '' : 0,
      java: `java${variableOr('javaversion', '')}`,
    },
  }),
  resolveforgeversion: ({ variableOr }) => ({
    ...{ type: 'resolveforgeversion', minecraftVersion: variableOr('version', ''), version: '' },
    outputVariable: 'resolvedForgeVersion',
  }),
  resolveneoforgeversion: () => ({ type: 'resolveneoforgeversion', outputVariable: 'resolvedForgeVersion' }),
  steam: steamGame,
}

function download({ nth, odd, names, variableOr, isNewer }: StepOptions): object {
  const plain = `https://example.org/${variableOr('version', 'latest')}/release${nth}.${isNewer ? 'zip' : 'jar'}`
  if (odd.has('perSystem')) return { type: 'download', files: [plain, `${plain}?arch=arm64`] }
  const address = nth > 1 ? plain : addressLike(plain, { odd, names })
  return { type: 'download', files: odd.has('filesAsText') ? address : [address] }
}

function addressLike(plain: string, { odd, names }: Pick<StepOptions, 'odd' | 'names'>): string {
  if (odd.has('bareHost')) return 'https://get.example.org'
  if (odd.has('endsInSlash')) return 'https://example.org/builds/latest/'
  if (odd.has('blobPage')) return 'https://code.example.org/owner/name/blob/main/updater.jar'
  if (odd.has('namedByHost')) return 'https://example.org/download?version=1'
  return names.includes('artifact') ? '${artifact}' : plain
}

function command({ nth, odd, isContained }: StepOptions): object {
  const usual = isContained
    ? 'steamcmd +force_install_dir /data +login anonymous +app_update 1 +quit'
    : 'chmod +x server'
  const lines = [
    nth > 1 ? `touch done${nth}` : usual,
    ...(odd.has('bareGlob') ? ['unzip  release*.zip', 'tar xvjf *.tar.bz2'] : []),
    ...(odd.has('mayFail') ? ['rm -r ./server', 'mv new.json old.json', 'mkdir data'] : []),
    ...(odd.has('cloneHere') ? ['git clone https://example.org/game.git .'] : []),
    ...(odd.has('noSuffix') ? ['unzip release'] : []),
    ...(odd.has('wget') ? ['wget https://example.org/a.tar.gz'] : []),
    ...(odd.has('home') ? ['cp -r content .local/share/'] : []),
    ...(odd.has('clone') ? ['git clone -b main https://example.org/data.git data'] : []),
    ...(odd.has('appVariable') ? ['./steamcmd.sh +login anonymous +app_update ${javaversion} +quit'] : []),
    ...(odd.has('account') ? ['./steamcmd.sh +login ${ip} +app_update 211820 +quit'] : []),
    ...(odd.has('login') ? ['./steamcmd.sh +login ${name} ${password} +quit'] : []),
    ...(odd.has('andAnd') ? ['cd data && ls'] : []),
    ...(odd.has('delete') ? ['find . -name "*.zip" -delete'] : []),
    ...(odd.has('shellLines') ? ['sh -c "cp a b; echo done"', 'bash -c "echo \\"$HOME\\" \\$(date)"'] : []),
  ]
  return { type: 'command', commands: lines }
}

const script = `#!/bin/bash
need=(wine jq)
for one in "\${requirements[@]}"; do echo "$one"; done
cd "\${0%/*}" && exec ./server "\${ConsolePassword:?there is none}" "$HOME"
`

function writeFile({ nth, odd, variableOr }: StepOptions): object {
  if (odd.has('bigScript')) return { type: 'writefile', target: 'install.sh', text: script }
  const text = odd.has('goTemplate')
    ? 'name: {{ .Data.name | default "x" }}\n'
    : `port=${variableOr('port', '1')}\n# $HOME\n`
  return {
    ...{ type: 'writefile', target: odd.has('slash') ? '/config/first.ini' : `config/file${nth}.ini` },
    // Some templates omit it.
    ...(nth !== 3 && { text }),
    ...(odd.has('metadata') && { metadata: {} }),
  }
}

function steamGame({ argument, odd, variableOr, isNewer }: StepOptions): object {
  return {
    ...{ type: 'steamgamedl', appId: odd.has('appVariable') ? '${kind}' : isNewer ? argument : Number(argument) },
    ...(odd.has('account') && { username: variableOr('name', 'somebody'), password: '' }),
    ...(odd.has('credentials') && { username: 'somebody', password: variableOr('password', 'x') }),
    ...(odd.has('branch') && { branch: 'beta', branchPassword: '' }),
    ...(odd.has('argsAsText') ? { extraArgs: '-os windows' } : isNewer ? { extraArgs: [] } : {}),
  }
}
