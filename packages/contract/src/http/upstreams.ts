import { trimEnd } from '../text/trim-end.ts'

/**
 * External services that Innkeeper uses, with their hosts. A mirror replaces a whole service: requests to any of its
 * hosts go to the mirror with the same path, so responses may contain the original hosts.
 */
export const upstreams = {
  /** Minecraft: version list, version metadata, and the server itself. */
  mojang: ['launchermeta.mojang.com', 'piston-meta.mojang.com', 'piston-data.mojang.com', 'launcher.mojang.com'],
  forge: ['maven.minecraftforge.net', 'files.minecraftforge.net'],
  neoforge: ['maven.neoforged.net'],
  fabric: ['meta.fabricmc.net', 'maven.fabricmc.net'],
  sponge: ['dl-api.spongepowered.org', 'repo.spongepowered.org'],
  paper: ['fill.papermc.io', 'fill-data.papermc.io'],
  /** Java. Its archives are on `github`. */
  adoptium: ['api.adoptium.net'],
  nodejs: ['nodejs.org'],
  curseforge: ['api.curseforge.com', 'edge.forgecdn.net', 'mediafilez.forgecdn.net'],
  /** Libraries that game servers need; games are downloaded from Steam's own network. */
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
  /** An index of templates to import. There is no default. */
  templates: [],
} as const satisfies Record<string, readonly string[]>

export type UpstreamName = keyof typeof upstreams
/** URLs of mirrors, by service. */
export type Mirrors = Readonly<Partial<Record<UpstreamName, string>>>

export function isUpstreamName(name: string): name is UpstreamName {
  return Object.hasOwn(upstreams, name)
}

/** The service of a host. */
export function findUpstream(host: string): UpstreamName | undefined {
  return (Object.keys(upstreams) as UpstreamName[]).find((name) =>
    (upstreams[name] as readonly string[]).includes(host.toLowerCase()),
  )
}

/** Rewrites a URL to the mirror of its service, if there is one, below the mirror's path. */
export function resolveMirror(url: URL, mirrors: Mirrors): URL {
  const name = url.port === '' ? findUpstream(url.hostname) : undefined
  const base = name && mirrors[name]
  if (base === undefined) return url
  const target = new URL(base)
  target.pathname = `${trimEnd(target.pathname, '/')}${url.pathname}`
  target.search = url.search
  return target
}

/** The environment variable that sets a mirror. */
export const upstreamSetting = (name: UpstreamName): string => `INNKEEPER_UPSTREAM_${name.toUpperCase()}`
