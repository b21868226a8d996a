import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { z } from 'zod'
import { parseDigest } from '../../downloads/digest.ts'
import { fetchJson, urlIn } from '../../downloads/fetch-json.ts'
import type { PreparedStep, StepContext } from '../context/step-context.ts'
import { notFoundAt } from './remote-file.ts'

const Releases = z.array(
  z.object({
    release_name: z.string(),
    binaries: z.array(z.object({ package: z.object({ link: z.string(), checksum: z.string().nullish() }) })),
  }),
)

/** Adoptium's names of architectures that Go names differently. */
const machines: Readonly<Record<string, string>> = { amd64: 'x64', arm64: 'aarch64', arm: 'arm', '386': 'x86' }

/**
 * Installs Java on the node and links it into the server's PATH as `java21`, `javac21`, and `java` for its newest
 * version.
 */
export function fetchJava(fields: StepFields<'javadl'>): PreparedStep {
  const major = fields.version.trim()

  return async (context) => {
    if (await isInstalled(`java${major}`, context)) return
    const { fetch, signal, conditionContext } = context
    const machine = machines[conditionContext.arch] ?? conditionContext.arch
    const url = new URL(`https://api.adoptium.net/v3/assets/feature_releases/${major}/ga`)
    const query = {
      architecture: machine,
      image_type: 'jdk',
      os: conditionContext.os,
      page: '0',
      page_size: '1',
      project: 'jdk',
      sort_method: 'DEFAULT',
      sort_order: 'DESC',
      vendor: 'eclipse',
    }
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const [release] = (await fetchJson(url, Releases, context)) ?? []
    const binary = release?.binaries[0]?.package
    if (!release || !binary) throw notFoundAt(url.hostname, `Java ${major} for ${conditionContext.os} on ${machine}`)

    const name = `java-${safeFileName(release.release_name)}-${machine}`
    const link = urlIn(binary.link, url)
    const programs = ['bin/java', 'bin/javac']
    const runtime = { name, url: link, digest: parseDigest(binary.checksum), archive: 'java.tar.gz', programs }
    await context.sharedStore.runtimes.ensure(runtime, { fetch, signal, say: (message) => context.say(message) })
    const links = { [`java${major}`]: `${name}/bin/java`, [`javac${major}`]: `${name}/bin/javac` }
    await linkAll(links, { java: `${name}/bin/java`, javac: `${name}/bin/javac` }, major, context)
    context.say(`Java ${major} is installed: ${release.release_name}`)
  }
}

/** Whether the server's PATH has it already; prints so. */
export async function isInstalled(program: string, context: StepContext): Promise<boolean> {
  const isFound = await context.inPath(program)
  if (isFound) context.say(`${program} is already installed`)
  return isFound
}

/** Links programs, and those without a number unless newer ones have these names. */
export async function linkAll(
  links: Readonly<Record<string, string>>,
  plainLinks: Readonly<Record<string, string>>,
  major: string,
  { sharedStore: { runtimes }, conditionContext: { serverId } }: StepContext,
): Promise<void> {
  const existingLinks = await runtimes.readLinks(serverId)
  const [first = ''] = Object.keys(plainLinks)
  const majors = existingLinks.filter((name) => name.startsWith(first)).map((name) => Number(name.slice(first.length)))
  const isNewest = majors.every((other) => !(other > Number(major)))
  await runtimes.linkForServer(serverId, { ...links, ...(isNewest && plainLinks) })
}

/** A version as a safe file name. */
export const safeFileName = (version: string): string => version.replace(/[^\w.+-]/g, '_').replace(/^\.+/, '')
