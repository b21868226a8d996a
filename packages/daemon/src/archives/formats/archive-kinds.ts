/** The kind of an archive, from its file name: container and compression. */
export type ArchiveKind = keyof typeof extensions

/** The compression of a file or a tar. */
export type Compression = 'gz' | 'bz2' | 'xz' | 'lzma' | 'lz' | 'zst'

interface ArchiveFormat {
  /** `file` contains one file, mostly without its name. */
  readonly format: 'zip' | 'tar' | '7z' | 'rar' | 'file'
  readonly compression?: Compression
  readonly extensions: readonly string[]
}

const extensions = {
  zip: { format: 'zip', extensions: ['.zip', '.jar', '.zipx'] },
  tar: { format: 'tar', extensions: ['.tar'] },
  'tar.gz': { format: 'tar', compression: 'gz', extensions: ['.tar.gz', '.tgz'] },
  'tar.bz2': { format: 'tar', compression: 'bz2', extensions: ['.tar.bz2', '.tbz2', '.tbz'] },
  'tar.xz': { format: 'tar', compression: 'xz', extensions: ['.tar.xz', '.txz'] },
  'tar.lzma': { format: 'tar', compression: 'lzma', extensions: ['.tar.lzma', '.tlzma'] },
  'tar.lz': { format: 'tar', compression: 'lz', extensions: ['.tar.lz', '.tlz'] },
  'tar.zst': { format: 'tar', compression: 'zst', extensions: ['.tar.zst', '.tzst'] },
  '7z': { format: '7z', extensions: ['.7z'] },
  rar: { format: 'rar', extensions: ['.rar'] },
  gz: { format: 'file', compression: 'gz', extensions: ['.gz'] },
  bz2: { format: 'file', compression: 'bz2', extensions: ['.bz2'] },
  xz: { format: 'file', compression: 'xz', extensions: ['.xz'] },
  lzma: { format: 'file', compression: 'lzma', extensions: ['.lzma'] },
  lz: { format: 'file', compression: 'lz', extensions: ['.lz'] },
  zst: { format: 'file', compression: 'zst', extensions: ['.zst'] },
} as const satisfies Record<string, ArchiveFormat>

const kinds: readonly (readonly [ArchiveKind, ArchiveFormat])[] = Object.entries(extensions) as [
  ArchiveKind,
  ArchiveFormat,
][]

/** By the extension, ignoring case. Returns undefined when it is not a supported archive. */
export function findArchiveKind(name: string): ArchiveKind | undefined {
  return findExtension(name)?.kind
}

/** The name without the archive extension: `world.sql.gz` contains `world.sql`. */
export function nameWithoutExtension(name: string): string {
  return name.slice(0, name.length - (findExtension(name)?.extension.length ?? 0))
}

export function getFormat(kind: ArchiveKind): ArchiveFormat {
  return extensions[kind]
}

function findExtension(name: string): { readonly kind: ArchiveKind; readonly extension: string } | undefined {
  const lower = name.toLowerCase()
  // The name must not be only the extension: `.zip` is a hidden file.
  for (const [kind, format] of kinds) {
    const extension = format.extensions.find((end) => lower.endsWith(end) && lower.length > end.length)
    if (extension) return { kind, extension }
  }
  return undefined
}
