/** What the name of an archive says: how it is put together, and what is around it. */
export type ArchiveKind = keyof typeof endings

/** How the bytes of one file, or of a tar, are made smaller. */
export type Coding = 'gz' | 'bz2' | 'xz' | 'lzma' | 'lz' | 'zst'

interface Form {
  /** `file` holds one file and, in most cases, not its name. */
  readonly form: 'zip' | 'tar' | '7z' | 'rar' | 'file'
  readonly coding?: Coding
  readonly endings: readonly string[]
}

const endings = {
  zip: { form: 'zip', endings: ['.zip', '.jar', '.zipx'] },
  tar: { form: 'tar', endings: ['.tar'] },
  'tar.gz': { form: 'tar', coding: 'gz', endings: ['.tar.gz', '.tgz'] },
  'tar.bz2': { form: 'tar', coding: 'bz2', endings: ['.tar.bz2', '.tbz2', '.tbz'] },
  'tar.xz': { form: 'tar', coding: 'xz', endings: ['.tar.xz', '.txz'] },
  'tar.lzma': { form: 'tar', coding: 'lzma', endings: ['.tar.lzma', '.tlzma'] },
  'tar.lz': { form: 'tar', coding: 'lz', endings: ['.tar.lz', '.tlz'] },
  'tar.zst': { form: 'tar', coding: 'zst', endings: ['.tar.zst', '.tzst'] },
  '7z': { form: '7z', endings: ['.7z'] },
  rar: { form: 'rar', endings: ['.rar'] },
  gz: { form: 'file', coding: 'gz', endings: ['.gz'] },
  bz2: { form: 'file', coding: 'bz2', endings: ['.bz2'] },
  xz: { form: 'file', coding: 'xz', endings: ['.xz'] },
  lzma: { form: 'file', coding: 'lzma', endings: ['.lzma'] },
  lz: { form: 'file', coding: 'lz', endings: ['.lz'] },
  zst: { form: 'file', coding: 'zst', endings: ['.zst'] },
} as const satisfies Record<string, Form>

const kinds: readonly (readonly [ArchiveKind, Form])[] = Object.entries(endings) as [ArchiveKind, Form][]

/** By the end of the name, whatever the case of its letters; `undefined` when it is none that can be opened or made. */
export function archiveKindOf(name: string): ArchiveKind | undefined {
  return endingOf(name)?.kind
}

/** `world.sql.gz` holds `world.sql`: the name without what makes it an archive. */
export function nameWithin(name: string): string {
  return name.slice(0, name.length - (endingOf(name)?.ending.length ?? 0))
}

export function formOf(kind: ArchiveKind): Form {
  return endings[kind]
}

function endingOf(name: string): { readonly kind: ArchiveKind; readonly ending: string } | undefined {
  const lower = name.toLowerCase()
  // A name is more than its ending: `.zip` is a hidden file.
  for (const [kind, form] of kinds) {
    const ending = form.endings.find((end) => lower.endsWith(end) && lower.length > end.length)
    if (ending) return { kind, ending }
  }
  return undefined
}
