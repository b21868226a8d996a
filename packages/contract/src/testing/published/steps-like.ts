import type { Oddities, Word } from './sketch.ts'

interface Ground {
  readonly names: readonly string[]
  readonly odd: Oddities
  readonly isNewer: boolean
  readonly isContained: boolean
}

/** Where a step is made: `nth` of its kind, from 1. */
interface Place extends Ground {
  readonly nth: number
  readonly argument: string
  /** `${name}` where there is such a variable. */
  filled(name: string, otherwise: string): string
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

/** A condition that the variables that there are allow, another one each time. */
export function conditionFor(at: number, names: readonly string[]): string {
  const fitting = conditions.filter(({ needs }) => needs === undefined || names.includes(needs))
  return fitting[at % fitting.length]?.text ?? 'success'
}

/** The steps that the words name. */
export function stepsLike(words: readonly Word[], ground: Ground): object[] {
  const seen = new Map<string, number>()
  return words.map(({ kind, argument, isConditional }, at) => {
    const nth = (seen.get(kind) ?? 0) + 1
    seen.set(kind, nth)
    const filled = (name: string, otherwise: string) => (ground.names.includes(name) ? `\${${name}}` : otherwise)
    const make = makers[kind]
    if (!make) throw new Error(`there is no word ${kind} for a step`)
    const step = make({ ...ground, nth, argument, filled })
    return { ...step, ...(isConditional && { if: conditionFor(at, ground.names) }) }
  })
}

const makers: Readonly<Record<string, (place: Place) => object>> = {
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
  java: ({ filled, isNewer }) => ({
    type: 'javadl',
    version: filled('javaversion', isNewer ? '25' : '17'),
  }),
  mojangdl: ({ filled }) => ({ type: 'mojangdl', version: filled('version', 'release'), target: 'server.jar' }),
  fabricdl: () => ({ type: 'fabricdl' }),
  forgedl: ({ filled, isNewer, names }) =>
    isNewer
      ? { type: 'forgedl', minecraftVersion: filled('version', '1.20.1'), version: '', target: 'forge.jar' }
      : {
          type: 'forgedl',
          version: names.includes('forge') ? '${mc-version}-${forge}' : filled('version', '1.20.1-47.2.0'),
          target: 'forge.jar',
        },
  spongeforgedl: () => ({ type: 'spongeforgedl', releaseType: 'recommended' }),
  curseforge: ({ nth, filled }) => ({
    ...{
      type: 'curseforge',
      projectId: '925200',
      fileId: nth === 1 ? '' : 0,
      java: `java${filled('javaversion', '')}`,
    },
  }),
  resolveforgeversion: ({ filled }) => ({
    ...{ type: 'resolveforgeversion', minecraftVersion: filled('version', ''), version: '' },
    outputVariable: 'resolvedForgeVersion',
  }),
  resolveneoforgeversion: () => ({ type: 'resolveneoforgeversion', outputVariable: 'resolvedForgeVersion' }),
  steam: steamGame,
}

function download({ nth, odd, names, filled, isNewer }: Place): object {
  const plain = `https://example.org/${filled('version', 'latest')}/release${nth}.${isNewer ? 'zip' : 'jar'}`
  if (odd.has('perSystem')) return { type: 'download', files: [plain, `${plain}?arch=arm64`] }
  const address = nth > 1 ? plain : addressLike(plain, { odd, names })
  return { type: 'download', files: odd.has('filesAsText') ? address : [address] }
}

function addressLike(plain: string, { odd, names }: Pick<Place, 'odd' | 'names'>): string {
  if (odd.has('bareHost')) return 'https://get.example.org'
  if (odd.has('endsInSlash')) return 'https://example.org/builds/latest/'
  if (odd.has('blobPage')) return 'https://code.example.org/owner/name/blob/main/updater.jar'
  if (odd.has('namedByHost')) return 'https://example.org/download?version=1'
  return names.includes('artifact') ? '${artifact}' : plain
}

function command({ nth, odd, isContained }: Place): object {
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

function writeFile({ nth, odd, filled }: Place): object {
  if (odd.has('bigScript')) return { type: 'writefile', target: 'install.sh', text: script }
  const text = odd.has('goTemplate')
    ? 'name: {{ .Data.name | default "x" }}\n'
    : `port=${filled('port', '1')}\n# $HOME\n`
  return {
    ...{ type: 'writefile', target: odd.has('slash') ? '/config/first.ini' : `config/file${nth}.ini` },
    // Some leave it out, which means nothing.
    ...(nth !== 3 && { text }),
    ...(odd.has('metadata') && { metadata: {} }),
  }
}

function steamGame({ argument, odd, filled, isNewer }: Place): object {
  return {
    ...{ type: 'steamgamedl', appId: odd.has('appVariable') ? '${kind}' : isNewer ? argument : Number(argument) },
    ...(odd.has('account') && { username: filled('name', 'somebody'), password: '' }),
    ...(odd.has('credentials') && { username: 'somebody', password: filled('password', 'x') }),
    ...(odd.has('branch') && { branch: 'beta', branchPassword: '' }),
    ...(odd.has('argsAsText') ? { extraArgs: '-os windows' } : isNewer ? { extraArgs: [] } : {}),
  }
}
