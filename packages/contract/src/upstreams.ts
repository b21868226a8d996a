import { trimEnd } from './trim-end.ts'

/**
 * The outside services that Innkeeper asks, each with its hosts. A mirror takes the place of a whole service: what would
 * be asked of any of its hosts is asked of the mirror, with the same path. So answers may name the real hosts.
 */
export const upstreams = {
  /** Minecraft: the list of versions, what belongs to each, and the server itself. */
  mojang: ['launchermeta.mojang.com', 'piston-meta.mojang.com', 'piston-data.mojang.com', 'launcher.mojang.com'],
  forge: ['maven.minecraftforge.net', 'files.minecraftforge.net'],
  neoforge: ['maven.neoforged.net'],
  fabric: ['meta.fabricmc.net', 'maven.fabricmc.net'],
  sponge: ['dl-api.spongepowered.org', 'repo.spongepowered.org'],
  paper: ['fill.papermc.io', 'fill-data.papermc.io'],
  /** Java. Its archives lie on `github`. */
  adoptium: ['api.adoptium.net'],
  nodejs: ['nodejs.org'],
  curseforge: ['api.curseforge.com', 'edge.forgecdn.net', 'mediafilez.forgecdn.net'],
  /** The libraries that game servers need beside themselves; games come by Steam's own network. */
  steam: ['media.steampowered.com'],
  github: [
    'api.github.com',
    'github.com',
    'objects.githubusercontent.com',
    'release-assets.githubusercontent.com',
    'raw.githubusercontent.com',
  ],
  mailgun: ['api.mailgun.net'],
  mailjet: ['api.mailjet.com'],
  /** An index of templates to import. There is none unless one is named. */
  templates: [],
} as const satisfies Record<string, readonly string[]>

export type UpstreamName = keyof typeof upstreams
/** The addresses of mirrors, by the service that each takes the place of. */
export type Mirrors = Readonly<Partial<Record<UpstreamName, string>>>

export function isUpstreamName(name: string): name is UpstreamName {
  return Object.hasOwn(upstreams, name)
}

/** The service that a host belongs to. */
export function upstreamOf(host: string): UpstreamName | undefined {
  return (Object.keys(upstreams) as UpstreamName[]).find((name) =>
    (upstreams[name] as readonly string[]).includes(host.toLowerCase()),
  )
}

/** Where an address is asked for: of the mirror of its service, if there is one, below the mirror's own path. */
export function mirrored(url: URL, mirrors: Mirrors): URL {
  const name = url.port === '' ? upstreamOf(url.hostname) : undefined
  const base = name && mirrors[name]
  if (base === undefined) return url
  const there = new URL(base)
  there.pathname = `${trimEnd(there.pathname, '/')}${url.pathname}`
  there.search = url.search
  return there
}

/** The setting that names a mirror. */
export const upstreamSetting = (name: UpstreamName): string => `INNKEEPER_UPSTREAM_${name.toUpperCase()}`
