/** A server program that was recognized by its files. */
export interface RecognizedServer {
  /** ID of the bundled template for it. */
  readonly template: string
  /** Folder of the server below the root: empty, or the only folder of an archive. */
  readonly folder: string
  /** The jar that starts it, for programs that are one jar. */
  readonly jar: string | undefined
  /** The installed version of Forge or NeoForge. */
  readonly loader: string | undefined
  /** Whether the program itself is there, so that only Java has to be installed. */
  readonly isInstalled: boolean
}

/** Signs of each program, the strongest first. A name that ends in `/` is a folder. */
const signs: readonly (readonly [template: string, names: readonly string[]])[] = [
  ['minecraft-bedrock', ['bedrock_server', 'bedrock_server.exe']],
  ['minecraft-velocity', ['velocity.toml']],
  ['minecraft-waterfall', ['waterfall.yml']],
  ['minecraft-quilt', ['quilt-server-launch.jar', '.quilt/']],
  ['minecraft-fabric', ['fabric-server-launch.jar', 'fabric-server-launcher.properties', '.fabric/']],
  ['minecraft-purpur', ['purpur.yml']],
  ['minecraft-paper', ['config/paper-global.yml', 'paper.yml', 'version_history.json']],
  ['minecraft-spigot', ['spigot.yml', 'bukkit.yml']],
]

const loaders = [
  ['minecraft-neoforge', /^libraries\/net\/neoforged\/neoforge\/([\w.+-]{1,100})\/unix_args\.txt$/],
  ['minecraft-forge', /^libraries\/net\/minecraftforge\/forge\/([\w.+-]{1,100})\/unix_args\.txt$/],
] as const

/** Programs that are a single jar. */
const singleJar = [
  'minecraft-paper',
  'minecraft-purpur',
  'minecraft-spigot',
  'minecraft-vanilla',
  'minecraft-forge-legacy',
]

/** The jars that the other templates start. */
const jarOfTemplate: Readonly<Record<string, string>> = {
  'minecraft-fabric': 'fabric-server-launch.jar',
  'minecraft-quilt': 'quilt-server-launch.jar',
  'minecraft-velocity': 'velocity.jar',
  'minecraft-waterfall': 'waterfall.jar',
  'minecraft-bungeecord': 'BungeeCord.jar',
}

/** Signs in subfolders, which a list of the server's folder does not have. */
export const nestedSigns = [
  { folder: 'config/', name: 'paper-global.yml' },
  { folder: 'libraries/', name: 'unix_args.txt' },
] as const

const recognizedTemplates: readonly string[] = [
  ...signs.map(([template]) => template),
  ...loaders.map(([template]) => template),
  ...singleJar,
  ...Object.keys(jarOfTemplate),
]

/** Whether the program of the server is there, and not only its settings or worlds. */
export const hasProgram = ({ template, isInstalled }: RecognizedServer): boolean =>
  isInstalled || template === 'minecraft-bedrock'

/**
 * Whether a server is made for something else than what was recognized. One from another template of the same type may
 * be made for it.
 */
export function isTemplateMismatch(
  { template }: RecognizedServer,
  server: { readonly type: string; readonly template?: { readonly name: string } | undefined },
): boolean {
  if (server.template && recognizedTemplates.includes(server.template.name)) return server.template.name !== template
  return server.type !== (template === 'minecraft-bedrock' ? 'minecraft-bedrock' : 'minecraft-java')
}

/** Files that every Minecraft server for Java has. */
const javaSigns = ['server.properties', 'eula.txt']

/**
 * Recognizes a Minecraft server by the paths of its files, relative to their root; `undefined` when it is none. An
 * archive may have everything in one folder.
 */
export function recognizeServer(paths: readonly string[]): RecognizedServer | undefined {
  const direct = recognizeIn(paths)
  if (direct) return { ...direct, folder: '' }
  const folder = paths[0]?.split('/')[0] ?? ''
  if (folder === '' || !paths.every((path) => path.startsWith(`${folder}/`))) return undefined
  const inner = recognizeIn(paths.map((path) => path.slice(folder.length + 1)).filter(Boolean))
  return inner && { ...inner, folder }
}

function recognizeIn(paths: readonly string[]): Omit<RecognizedServer, 'folder'> | undefined {
  const known = new Set(paths)
  const has = (name: string) =>
    name.endsWith('/') ? known.has(name) || paths.some((path) => path.startsWith(name)) : known.has(name)
  for (const [template, pattern] of loaders) {
    const loader = paths.map((path) => pattern.exec(path)?.[1]).find(Boolean)
    if (loader !== undefined) return { template, jar: undefined, loader, isInstalled: true }
  }
  const jars = paths.filter((path) => path.endsWith('.jar') && !path.includes('/'))
  const isJavaServer = javaSigns.some(has) || jars.length > 0
  // A file in a subfolder alone is no sign: perhaps only that subfolder was selected.
  const isSign = (name: string) => has(name) && (isJavaServer || name.endsWith('/') || !name.includes('/'))
  const template =
    signs.find(([, names]) => names.some(isSign))?.[0] ??
    (has('config.yml') && has('modules/')
      ? 'minecraft-bungeecord'
      : jars.some(isLegacyForge)
        ? 'minecraft-forge-legacy'
        : javaSigns.some(has)
          ? 'minecraft-vanilla'
          : undefined)
  if (template === undefined) return undefined
  const jar = singleJar.includes(template) ? findJar(template, jars) : undefined
  const isInstalled = jar !== undefined || jars.includes(jarOfTemplate[template] ?? '')
  return { template, jar, loader: undefined, isInstalled }
}

const isLegacyForge = (jar: string): boolean => /^forge-[\d.]+-[\w.+-]+\.jar$/.test(jar) && !jar.includes('installer')

/** The jar of a program by its name, else the only one. */
function findJar(template: string, jars: readonly string[]): string | undefined {
  const name = template.slice('minecraft-'.length)
  const isProgram = (jar: string) =>
    template === 'minecraft-forge-legacy' ? isLegacyForge(jar) : jar.toLowerCase().startsWith(name)
  const candidates = ['server.jar', ...jars.filter(isProgram), ...jars.filter((jar) => /^minecraft_server/.test(jar))]
  return candidates.find((jar) => jars.includes(jar)) ?? (jars.length === 1 ? jars[0] : undefined)
}
