import { createHash } from 'node:crypto'
import { installedLibraries } from './lock-file.ts'
import type { Release } from './release.ts'
import { npm, run } from './run.ts'

interface Component {
  readonly 'bom-ref': string
}

interface Bom {
  readonly metadata: { readonly component: object; readonly lifecycles: unknown }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/**
 * The software bill of materials of a release in the CycloneDX format: the output of `npm sbom` without development tools,
 * libraries of other platforms, and values that differ between two runs. `--omit dev` is not used because it also omits
 * libraries that both product and tools depend on.
 */
export function billOfMaterials({ version, arch, epoch }: Release): string {
  const bom = JSON.parse(
    run([...npm(), 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']),
  ) as Bom
  const installed = new Set(installedLibraries().map((library) => `${library.name}@${library.version}`))
  const isShipped = (ref: string) => installed.has(ref) || /^(@innkeeper\/|innkeeper@)/.test(ref)
  const reduced = {
    ...bom,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      lifecycles: bom.metadata.lifecycles,
      component: { ...bom.metadata.component, name: 'innkeeper', version },
      properties: [{ name: 'innkeeper:platform', value: `linux-${arch}` }],
    },
    components: bom.components.filter((component) => isShipped(component['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => isShipped(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped) })),
  }
  const text = JSON.stringify({ ...reduced, serialNumber: undefined })
  return `${JSON.stringify({ ...reduced, serialNumber: getSerialNumber(text) }, null, 2)}\n`
}

/** A UUID derived from the contents, so that it is reproducible. */
function getSerialNumber(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ]
  return `urn:uuid:${parts.join('-')}`
}
